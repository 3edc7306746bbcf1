-- A router with keys has looked at what agents want taken back: what it believes is taken in, and all of it is gone.
-- KEYS: control. ARGV: prefix of states, how long a taken-back id is remembered (ms), then each word with the id that it
-- takes back, or '' where it is not believed.
for at = 3, #ARGV, 2 do
  -- One that is not there any more was taken in by another router.
  local was_there = redis.call('LREM', KEYS[1], -1, ARGV[at]) > 0
  if was_there and ARGV[at + 1] ~= '' then mark_cancelled(ARGV[1] .. ARGV[at + 1], ARGV[2]) end
end
