-- A router says that it lives, and learns which of the commands in its hands nobody waits for, or are no longer its own.
-- KEYS: routers, work, control, again, watched.
-- ARGV: router, field below which all claims have been answered, how long a taken-back id is remembered (ms), prefix of
-- states, how long a command may run (ms), 1 when the router looks at signatures (then it has taken in itself what was taken
-- back), how long the routers together may be silent before they have not watched without a break (ms), then field and id ('!' for none) of each command in hand.
-- Returns 'fenced', or {{field, 'cancelled' | 'lost'}, ...}.
local routers, work, control, again = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local router, settled, remembered, states, lease = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5]
if not redis.call('ZSCORE', routers, router) then return 'fenced' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', routers, 'XX', now, router)
-- Since when one router or another has watched. It outlives each of them.
if redis.call('EXISTS', KEYS[5]) == 1 then
  redis.call('PEXPIRE', KEYS[5], ARGV[7])
else
  redis.call('SET', KEYS[5], now, 'PX', ARGV[7])
end

if ARGV[6] ~= '1' then take_back(control, states, remembered) end

local told, in_hand = {}, {}
for at = 8, #ARGV, 2 do
  local field, id = ARGV[at], ARGV[at + 1]
  in_hand[field] = true
  if redis.call('HEXISTS', work, field) == 0 then
    told[#told + 1] = { tonumber(field), 'lost' }
  elseif id ~= '!' then
    local state = redis.call('GET', states .. id)
    if state and state:sub(-10) == ' cancelled' then told[#told + 1] = { tonumber(field), 'cancelled' } end
    redis.call('PEXPIRE', states .. id, lease)
  end
end
-- What a claim took whose answer never arrived.
if redis.call('HLEN', work) > (#ARGV - 7) / 2 then
  for _, field in ipairs(redis.call('HKEYS', work)) do
    if tonumber(field) < settled and not in_hand[field] then hand_back(work, router, field, again, states, 1) end
  end
end
return told
