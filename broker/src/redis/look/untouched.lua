-- Before anyone looks at the queue: a router that starts tells by how long the queue lay untouched what nobody waits
-- for any more, and to look is to touch. So the same judgement is passed here, by the time since the last touch that
-- was not a look.
-- KEYS: routers, queue, stale, the note of the last look. ARGV: dead after (ms), stale after (s; 0 = never), how long the note is
-- kept (ms). Returns the time and how many routers live.
local routers, queue, stale, looked = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local idle = redis.pcall('OBJECT', 'IDLETIME', queue)
local alive = redis.call('ZCOUNT', routers, now - tonumber(ARGV[1]), '+inf')
if alive > 0 or ARGV[2] == '0' or type(idle) ~= 'number' then return { now, alive } end
local since = now - idle * 1000
local newest = redis.call('LINDEX', queue, 0)
-- What the queue would look like if nobody but us had touched it.
local same = redis.call('LLEN', queue) .. ' ' .. redis.sha1hex(#newest .. newest:sub(1, 4096))
local before = redis.call('GET', looked)
local known = before and before:match('^(%d+) ' .. same .. '$')
if known then since = math.min(since, tonumber(known)) end
if now - since > tonumber(ARGV[2]) * 1000 then
  for _ = 1, redis.call('LLEN', queue) do
    redis.call('LMOVE', queue, stale, 'RIGHT', 'LEFT')
  end
else
  redis.call('SET', looked, string.format('%.0f', since) .. ' ' .. same, 'PX', ARGV[3])
end
return { now, alive }
