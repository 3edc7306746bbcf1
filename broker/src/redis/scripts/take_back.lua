-- Shared: takes in what agents have taken back. Whether a command is still to come, waits, or runs somewhere, its state
-- says so from now on.
local function take_back(control, states, remembered)
  for _ = 1, 100 do
    local asked = redis.call('RPOP', control)
    if not asked then return end
    local readable, message = pcall(cjson.decode, asked)
    local id = readable and type(message) == 'table' and message.cancel
    if type(id) == 'string' and #id <= 128 then
      local state = redis.call('GET', states .. id)
      if not state or state == 'again' then
        redis.call('SET', states .. id, 'cancelled', 'PX', remembered)
      elseif state:sub(1, 8) == 'running ' and state:sub(-10) ~= ' cancelled' then
        redis.call('SET', states .. id, state .. ' cancelled', 'KEEPTTL')
      end
    end
  end
end
