-- A router hands back a command that it has not begun, or that may be begun again.
-- KEYS: work, again. ARGV: router, prefix of states, field, 1 when it was not begun this time.
hand_back(KEYS[1], ARGV[1], ARGV[3], KEYS[2], ARGV[2], tonumber(ARGV[4]))
