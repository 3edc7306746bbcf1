-- A router hands back commands that it has not begun, or that may be begun again.
-- KEYS: work, again. ARGV: prefix of states, 1 when they were not begun, their fields, the oldest last.
for at = 3, #ARGV do hand_back(KEYS[1], ARGV[at], KEYS[2], ARGV[1], tonumber(ARGV[2])) end
