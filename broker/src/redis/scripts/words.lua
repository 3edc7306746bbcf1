-- Shared: the oldest of what agents want taken back, for a router to look at the signatures. What is longer than any such
-- word is thrown away.
local function words(control)
  local found = {}
  for _, word in ipairs(redis.call('LRANGE', control, -64, -1)) do
    if #word > 1024 then
      redis.call('LREM', control, -1, word)
    else
      found[#found + 1] = word
    end
  end
  return found
end
