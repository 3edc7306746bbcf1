-- Shared: takes in what agents have taken back, whoever has pushed it there.
local function take_back(control, states, remembered)
  for _ = 1, 100 do
    local asked = redis.call('RPOP', control)
    if not asked then return end
    local readable, message = pcall(cjson.decode, asked)
    local id = readable and type(message) == 'table' and message.cancel
    if type(id) == 'string' and #id <= 128 then mark_cancelled(states .. id, remembered) end
  end
end
