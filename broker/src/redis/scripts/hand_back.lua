-- Shared: puts what a router held back into the queue, ahead of all that was never taken. It goes to a lane
-- of its own, because how often it was begun must be kept with it, and because a router of the first SafeClaw,
-- which would run anything twice, does not look there.
-- `undo` is 1 when the attempt for which it was claimed does not count; a claim that did not count as one has no '+'.
local function hand_back(work, router, field, again, states, undo)
  local held = redis.call('HGET', work, field)
  if not held then return end
  local attempts, counted, lane, id, body = held:match('^(%d+)(%+?) (%S+) (%S+)\n(.*)$')
  if not attempts then
    -- No router has put this there; a claim will say so.
    redis.call('RPUSH', again, held)
    redis.call('HDEL', work, field)
    return
  end
  attempts = tonumber(attempts)
  if counted == '+' then attempts = attempts - undo end
  redis.call('RPUSH', again, attempts .. ' ' .. lane .. ' ' .. id .. '\n' .. body)
  -- A copy that another router has in its hands by now speaks for itself.
  local state = id ~= '!' and redis.call('GET', states .. id)
  local mine = 'running ' .. router .. ' ' .. field
  if state == mine then
    redis.call('SET', states .. id, 'again', 'KEEPTTL')
  elseif state == mine .. ' cancelled' then
    redis.call('SET', states .. id, 'cancelled', 'KEEPTTL')
  end
  redis.call('HDEL', work, field)
end
