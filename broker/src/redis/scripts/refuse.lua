-- A command ends without a trace: it says to have an id that it may not speak for.
-- KEYS: work, dead letters, then for a command with an id: its state.
-- ARGV: field, router, dead letter or '', most dead letters.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return end
local mine = 'running ' .. ARGV[2] .. ' ' .. ARGV[1]
local state = KEYS[3] and redis.call('GET', KEYS[3])
if state == mine then
  redis.call('DEL', KEYS[3])
elseif state == mine .. ' cancelled' then
  redis.call('SET', KEYS[3], 'cancelled', 'KEEPTTL')
end
if ARGV[3] ~= '' then
  redis.call('LPUSH', KEYS[2], ARGV[3])
  redis.call('LTRIM', KEYS[2], 0, tonumber(ARGV[4]) - 1)
end
redis.call('HDEL', KEYS[1], ARGV[1])
