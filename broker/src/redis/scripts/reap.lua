-- Takes everything out of the hands of routers that have died.
-- KEYS: routers, again. ARGV: the router that looks, dead after (ms), prefix of states, prefix of works.
-- Returns how many commands were handed back.
local routers, again = KEYS[1], KEYS[2]
local time = redis.call('TIME')
local dead = time[1] * 1000 + math.floor(time[2] / 1000) - tonumber(ARGV[2])
local count = 0
for _, router in ipairs(redis.call('ZRANGEBYSCORE', routers, '-inf', dead)) do
  if router ~= ARGV[1] then
    local work = ARGV[4] .. router
    local fields = redis.call('HKEYS', work)
    -- The oldest last, so that it is the next one to be taken.
    table.sort(fields, function(a, b) return tonumber(a) > tonumber(b) end)
    for _, field in ipairs(fields) do hand_back(work, router, field, again, ARGV[3], 0) end
    redis.call('ZREM', routers, router)
    count = count + #fields
  end
end
return count
