-- A person takes a command back: what waits is answered 'cancelled' when its turn comes, what runs is stopped.
-- KEYS: the state of its id. ARGV: how long that is remembered (ms), prefix of works.
-- Returns 'waiting', 'running' or 'done': where it was.
local state = redis.call('GET', KEYS[1]) or ''
if state:sub(1, 5) == 'done ' then return 'done' end
local owner, field = state:match('^running (%S+) (%d+)')
if owner and redis.call('HEXISTS', ARGV[2] .. owner, field) == 1 then
  if state:sub(-10) ~= ' cancelled' then redis.call('SET', KEYS[1], state .. ' cancelled', 'KEEPTTL') end
  return 'running'
end
redis.call('SET', KEYS[1], 'cancelled', 'PX', ARGV[1])
return 'waiting'
