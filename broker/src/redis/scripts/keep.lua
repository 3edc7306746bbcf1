-- The first of three steps where replies live in other slots of a cluster: the reply is kept.
-- KEYS: work, dead letters, then for a command with an id: its state.
-- ARGV: as in finish.lua. Returns the reply that counts, or nothing when the command is not this router's.
return store(KEYS[1], KEYS[3], KEYS[2], ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]))
