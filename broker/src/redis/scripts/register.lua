-- A router begins a life. Commands without a deadline that have lain untouched since before the patience of
-- whoever sent them, with no router alive, are set apart as stale.
-- KEYS: routers, queue, stale. ARGV: router, dead after (ms), stale after (s; 0 = never).
local routers, queue, stale = KEYS[1], KEYS[2], KEYS[3]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- Any other access would reset the idle time. A server that evicts by frequency does not keep it.
local idle = redis.pcall('OBJECT', 'IDLETIME', queue)
local alive = redis.call('ZCOUNT', routers, now - tonumber(ARGV[2]), '+inf')
redis.call('ZADD', routers, now, ARGV[1])
local patience = tonumber(ARGV[3])
if patience > 0 and alive == 0 and type(idle) == 'number' and idle > patience then
  for _ = 1, redis.call('LLEN', queue) do
    redis.call('LMOVE', queue, stale, 'RIGHT', 'LEFT')
  end
end
return now
