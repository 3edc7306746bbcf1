-- Reads elements of a list, and of a long one only its beginning: what lies there may be of any size.
-- KEYS: list. ARGV: first and last index, most bytes of an element that is read whole, how many bytes are read of a
-- longer one, what must stand in an element ('' = anything).
-- Returns how many elements lay there, then {size, bytes} of each that fits.
local most, kept, wanted = tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5]
local count, read = 0, {}
-- A few at a time, for the same reason.
for first = tonumber(ARGV[1]), tonumber(ARGV[2]), 10 do
  local last = math.min(first + 9, tonumber(ARGV[2]))
  for _, one in ipairs(redis.call('LRANGE', KEYS[1], first, last)) do
    count = count + 1
    if wanted == '' or one:find(wanted, 1, true) then
      read[#read + 1] = { #one, #one > most and one:sub(1, kept) or one }
    end
  end
end
return { count, unpack(read) }
