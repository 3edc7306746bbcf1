-- Reads all entries of a table.
-- KEYS: index; its entries stand in the same slot under names that begin with the index's own.
-- Returns {{key, entry}, ...} in the order of the keys.
local keys = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(keys)
local found = {}
for _, key in ipairs(keys) do
  local entry = redis.call('GET', KEYS[1] .. ':' .. key)
  if entry then found[#found + 1] = { key, entry } end
end
return found
