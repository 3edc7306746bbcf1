-- A router ends its life, and gives back what it has in its hands: what it has begun, and what it never heard of.
-- KEYS: routers, work, again. ARGV: router, prefix of states, then the fields that it has begun.
local begun = {}
for at = 3, #ARGV do begun[ARGV[at]] = true end
local fields = redis.call('HKEYS', KEYS[2])
table.sort(fields, function(a, b) return tonumber(a) > tonumber(b) end)
for _, field in ipairs(fields) do
  hand_back(KEYS[2], ARGV[1], field, KEYS[3], ARGV[2], begun[field] and 0 or 1)
end
redis.call('ZREM', KEYS[1], ARGV[1])
