-- A command ends, in one step: its reply is kept and sent, and the router lets go of it.
-- KEYS: work, dead letters, then for a command with an id: its state, its replies.
-- ARGV: field, reply, how long the reply is kept (ms), dead letter or '', most dead letters, how long it waits (ms).
-- Returns 1, or 0 when it had ended before or belongs to another router.
local reply = store(KEYS[1], KEYS[3], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]))
if not reply then return 0 end
if KEYS[4] then publish(KEYS[4], reply, ARGV[6]) end
redis.call('HDEL', KEYS[1], ARGV[1])
return 1
