-- Shared: takes everything out of the hands of a router that has died, and forgets it. Returns how many commands that were.
local function bury(routers, router, again, states, works)
  local work = works .. router
  local fields = redis.call('HKEYS', work)
  -- The oldest last, so that it is the next one to be taken.
  table.sort(fields, function(a, b) return tonumber(a) > tonumber(b) end)
  for _, field in ipairs(fields) do hand_back(work, router, field, again, states, 0) end
  redis.call('ZREM', routers, router)
  return #fields
end
