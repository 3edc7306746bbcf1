-- Everything that is counted, at one moment.
-- KEYS: routers, then the lanes. ARGV: prefix of works, most routers that are told of, most bytes of a command.
-- Returns what INFO says ('' where it is forbidden), {{waiting, bytes of the oldest or false}, ...} in the order of
-- the lanes, and {{router, last sign of life, in hand}, ...}.
local info = redis.pcall('INFO')
local lanes, routers = {}, {}
for at = 2, #KEYS do
  local oldest = redis.call('LINDEX', KEYS[at], -1)
  lanes[at - 1] = { redis.call('LLEN', KEYS[at]), oldest and #oldest <= tonumber(ARGV[3]) and oldest }
end
local known = redis.call('ZRANGE', KEYS[1], 0, tonumber(ARGV[2]) - 1, 'WITHSCORES')
for at = 1, #known, 2 do
  routers[#routers + 1] = { known[at], tonumber(known[at + 1]), redis.call('HLEN', ARGV[1] .. known[at]) }
end
return { type(info) == 'string' and info or '', lanes, routers }
