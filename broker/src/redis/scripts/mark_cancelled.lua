-- Shared: a command is taken back. Whether it is still to come, waits, or runs somewhere, its state says so from now on.
local function mark_cancelled(key, remembered)
  local state = redis.call('GET', key)
  if not state or state == 'again' then
    redis.call('SET', key, 'cancelled', 'PX', remembered)
  elseif state:sub(1, 8) == 'running ' and state:sub(-10) ~= ' cancelled' then
    redis.call('SET', key, state .. ' cancelled', 'KEEPTTL')
  end
end
