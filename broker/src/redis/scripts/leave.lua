-- A router ends its life. What it still holds is taken from it at the next look of another.
-- KEYS: routers, work. ARGV: router.
if redis.call('EXISTS', KEYS[2]) == 1 then
  redis.call('ZADD', KEYS[1], 'XX', 0, ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
