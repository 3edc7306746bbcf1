-- Shared: puts what a router held back into the queue, ahead of all that was never taken. It goes to a lane
-- of its own, because how often it was begun must be kept with it, and because a router of the first SafeClaw,
-- which would run anything twice, does not look there.
-- `undo` is 1 when it was surely not begun this time.
local function hand_back(work, field, again, states, undo)
  local held = redis.call('HGET', work, field)
  if not held then return end
  local attempts, lane, id, body = held:match('^(%d+) (%S+) (%S+)\n(.*)$')
  attempts = math.max(tonumber(attempts) - undo, 0)
  redis.call('RPUSH', again, attempts .. ' ' .. lane .. ' ' .. id .. '\n' .. body)
  local state = id ~= '!' and redis.call('GET', states .. id)
  if state and state:sub(1, 8) == 'running ' then
    local cancelled = state:sub(-10) == ' cancelled'
    redis.call('SET', states .. id, cancelled and 'cancelled' or 'again', 'KEEPTTL')
  end
  redis.call('HDEL', work, field)
end
