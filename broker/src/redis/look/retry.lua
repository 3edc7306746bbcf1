-- A dead letter becomes a command again. It lies in its lane before it is taken from the letters.
-- KEYS: dead letters, the state of its id, the lane, then, where it lies in the same slot, the reply that was given.
-- ARGV: the letter, the command. Returns 'sent', 'gone' when somebody else has taken the letter, or 'known' when the
-- command waits or runs already.
local state = redis.call('GET', KEYS[2])
if state and (state == 'again' or state:sub(1, 8) == 'running ') then return 'known' end
if not redis.call('LPOS', KEYS[1], ARGV[1]) then return 'gone' end
redis.call('LPUSH', KEYS[3], ARGV[2])
redis.call('LREM', KEYS[1], 1, ARGV[1])
redis.call('DEL', KEYS[2])
-- A reply that nobody has fetched would keep the new one from being sent.
if KEYS[4] then redis.call('DEL', KEYS[4]) end
return 'sent'
