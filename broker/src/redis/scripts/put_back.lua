-- A router hands back a command that it has not begun, or that may be begun again and was stopped by its end.
-- KEYS: work, again. ARGV: router, prefix of states, field.
hand_back(KEYS[1], ARGV[1], ARGV[3], KEYS[2], ARGV[2], 1)
