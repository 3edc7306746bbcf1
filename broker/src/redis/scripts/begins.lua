-- A router says that it begins a command which can't be done twice.
-- KEYS: work. ARGV: field. Returns 1, or 0 when the command is another router's by now.
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held then return 0 end
local attempts, lane, rest = held:match('^(%d+%+?) (%S-)~( .*)$')
if attempts then redis.call('HSET', KEYS[1], ARGV[1], attempts .. ' ' .. lane .. rest) end
return 1
