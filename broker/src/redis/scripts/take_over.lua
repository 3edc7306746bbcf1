-- Takes everything out of the hands of routers that are known to be dead.
-- KEYS: routers, again. ARGV: prefix of states, prefix of works, then the routers.
-- Returns how many commands were handed back.
local count = 0
for at = 3, #ARGV do count = count + bury(KEYS[1], ARGV[at], KEYS[2], ARGV[1], ARGV[2]) end
return count
