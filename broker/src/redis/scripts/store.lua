-- Shared: the first word about a command is the last: keeps `reply` unless one is kept already, and gives the one
-- that counts. False when the command has been taken from this router and another one may be running it.
local function store(work, state_key, letters, field, reply, ttl, letter, most_letters)
  local held = redis.call('HEXISTS', work, field) == 1
  local state = state_key and redis.call('GET', state_key)
  if state and state:sub(1, 5) == 'done ' then return held and state:sub(6) end
  if not held and state ~= 'again' then return false end
  if state_key then redis.call('SET', state_key, 'done ' .. reply, 'PX', ttl) end
  if letter ~= '' then
    redis.call('LPUSH', letters, letter)
    redis.call('LTRIM', letters, 0, most_letters - 1)
  end
  return held and reply
end
