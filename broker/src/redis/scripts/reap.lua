-- Takes everything out of the hands of routers that have been silent for too long. Only where routers have said all that time
-- that they live: after an outage all of them look dead at first.
-- KEYS: routers, again, watched. ARGV: the router that looks, dead after (ms), prefix of states, prefix of works.
-- Returns how many commands were handed back.
local routers, again = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local dead = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
local watched = tonumber(redis.call('GET', KEYS[3]))
if not watched or watched > dead then return 0 end
local count = 0
for _, router in ipairs(redis.call('ZRANGEBYSCORE', routers, '-inf', dead)) do
  if router ~= ARGV[1] then count = count + bury(routers, router, again, ARGV[3], ARGV[4]) end
end
return count
