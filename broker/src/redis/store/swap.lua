-- Puts something in the place of what was read.
-- KEYS: entry, index. ARGV: key, lifetime (ms, 0: for ever), most entries, 1 if something stood there, what, 1 if something
-- shall stand there, what.
-- Returns 1; 0 when something else stands there; -1 when the table is full.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lifetime, most = tonumber(ARGV[2]), tonumber(ARGV[3])

local there = redis.call('GET', KEYS[1])
if ARGV[4] == '1' then
  if there ~= ARGV[5] then return 0 end
elseif there then
  return 0
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if ARGV[6] == '0' then
  redis.call('DEL', KEYS[1])
  redis.call('ZREM', KEYS[2], ARGV[1])
  return 1
end
if not there and redis.call('ZCARD', KEYS[2]) >= most then return -1 end
if lifetime == 0 then
  redis.call('SET', KEYS[1], ARGV[7])
  redis.call('ZADD', KEYS[2], '+inf', ARGV[1])
  redis.call('PERSIST', KEYS[2])
else
  redis.call('SET', KEYS[1], ARGV[7], 'PX', lifetime)
  -- The index lives as long as the longest of its entries.
  redis.call('ZADD', KEYS[2], now + lifetime, ARGV[1])
  redis.call('PEXPIRE', KEYS[2], lifetime)
end
return 1
