-- A router takes commands into its hands. Whatever stops this script halfway leaves a command on the queue as
-- well as in the router's hands, never in neither: it is written there before it is taken from here.
-- KEYS: routers, work, again, stale, hi, queue, lo, control, wheel.
-- ARGV: router, first field, slots, how many of them are for hi alone, most bytes of a command, how many bytes are
-- kept of a longer one, most that may wait in a lane, most attempts, how long a command may run (ms), prefix of states,
-- prefix of works, how long a taken-back id is remembered (ms), 1 when the router looks at signatures, 1 when it has just
-- looked at those of what agents want taken back, names: with any, at most one command is taken whatever the room, the oldest that
-- asks for one of them.
-- Returns 'fenced', or {{field, mark, attempts, id, body or kept reply, 1 when it may have been begun}, ...}; or the words of
-- agents that have to be looked at first, and nothing is taken.
-- A lane with a '~' behind it is that of a command of which no router has said that it begins it (begins.lua).
local routers, work, again, stale = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local router, field, slots, reserved = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local most_bytes, kept_bytes, most_waiting, most_attempts = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local lease, states, works = ARGV[9], ARGV[10], ARGV[11]
local hi, queue, lo = { KEYS[5], 'hi' }, { KEYS[6], 'normal' }, { KEYS[7], 'lo' }
local first = { { again, 'again' }, { stale, 'stale' } }

if not redis.call('ZSCORE', routers, router) then return 'fenced' end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- What was taken back before now must not be begun now.
if ARGV[13] ~= '1' then
  take_back(KEYS[8], states, ARGV[12])
elseif ARGV[14] ~= '1' then
  local unheard = words(KEYS[8])
  if #unheard > 0 then return unheard end
end

-- Whether a command may go by this id.
local function is_id(id) return #id <= 128 and id:find('^[%w_.:{}%-]+$') end

-- What can be read of a command: its id, its deadline, and whether it was sent before.
local function read(body)
  local readable, command = pcall(cjson.decode, body)
  if not readable or type(command) ~= 'table' then return nil, 0, false end
  local id, deadline = command.message_id, command.deadline
  local usable = type(id) == 'string' and is_id(id)
  return usable and id or nil, type(deadline) == 'number' and deadline or 0, command.resent == true
end

-- A command without the word that it was sent before, which is not signed.
local function plain(body) return (body:gsub(',"resent":true}$', '}')) end

-- Why a command must not be run, by the state that its id is in; 'drop' when another copy is on its way, and 'copy' when
-- only the router can tell whether it is one.
local function judged(state, lane, body)
  if not state then return nil end
  if state:sub(1, 5) == 'done ' then return 'known' end
  if state == 'cancelled' then return 'cancelled' end
  if state == 'again' then
    return lane ~= 'again' and redis.call('EXISTS', again) == 1 and 'drop' or nil
  end
  local owner, held = state:match('^running (%S+) (%d+)')
  local other = owner and redis.call('HGET', works .. owner, held)
  if not other then return nil end
  if ARGV[13] == '1' and plain(other:match('\n(.*)$') or '') ~= plain(body) then return 'copy' end
  return 'drop'
end

-- Takes the oldest command of a lane: nil when there is none, false when it was a copy that is dropped.
local function take(lane, mark)
  local body = redis.call('LINDEX', lane[1], -1)
  if not body then return nil end
  local attempts, from, known_id, unbegun = 0, lane[2], nil, '~'
  if from == 'again' then
    local n, lane_before, id_before, rest = body:match('^(%d+) (%S+) (%S+)\n(.*)$')
    -- What no router has put there is treated like anything that can't be read.
    if rest and #n <= 9 and (id_before == '!' or is_id(id_before)) then
      attempts, known_id, body = tonumber(n), id_before, rest
      from, unbegun = lane_before:match('^(.-)(~?)$')
    end
  end
  local id, deadline, resent = nil, 0, false
  if #body > most_bytes then
    -- A bounded look for whom to answer; nothing of it is parsed.
    body = body:sub(1, kept_bytes)
    id, mark = body:match('"message_id"%s*:%s*"([%w_.:{}%-]+)"'), 'too_large'
    if id and not is_id(id) then id = nil end
  else
    id, deadline, resent = read(body)
    -- The stump of one that was too large.
    if not id and known_id and known_id ~= '!' then id, mark = known_id, 'too_large' end
  end
  local state = id and redis.call('GET', states .. id)
  local why = judged(state, lane[2], body)
  if why == 'drop' then
    redis.call('RPOP', lane[1])
    return false
  end
  mark = why or mark
  if not id and mark ~= 'too_large' then mark = 'unreadable' end
  if not mark and deadline > 0 and now > deadline then mark = 'expired' end
  if not mark and from == 'stale' and deadline == 0 then mark = 'stale' end
  -- Nothing here vouches that its first copy was not begun.
  if resent and attempts == 0 then attempts, unbegun = 1, '' end
  local counted = ''
  if not mark then
    if attempts < most_attempts then
      attempts, counted = attempts + 1, '+'
    else
      mark = 'poison'
    end
  end
  redis.call('HSET', work, field, attempts .. counted .. ' ' .. from .. unbegun .. ' ' .. (id or '!') .. '\n' .. body)
  if mark == 'known' then
    body = state:sub(6)
  elseif id and mark ~= 'copy' then
    -- What was taken back stays so, whatever becomes of this router.
    local cancelled = mark == 'cancelled' and ' cancelled' or ''
    redis.call('SET', states .. id, 'running ' .. router .. ' ' .. field .. cancelled, 'PX', lease)
  end
  redis.call('RPOP', lane[1])
  field = field + 1
  return { field - 1, mark or 'run', attempts, id or '', body, unbegun == '' and 1 or 0 }
end

-- Strict order most of the time; now and then the slower lanes go first, so that they always move. It is counted
-- here: several claims of one router may be on their way at once.
local wheel = tonumber(redis.call('GET', KEYS[9])) or 0
local turned = wheel
local function order()
  if turned % 16 == 15 then return { lo, first[1], first[2], queue, hi } end
  if turned % 4 == 3 then return { queue, first[1], first[2], hi, lo } end
  return { first[1], first[2], hi, queue, lo }
end

local taken = {}
local function take_from(lanes)
  for _, lane in ipairs(lanes) do
    local one = take(lane, nil)
    while one == false do one = take(lane, nil) end
    if one then
      taken[#taken + 1] = one
      return true
    end
  end
  return false
end

-- It is brought to the front of its lane first. Of a long lane the newest are looked at: what is older was new once.
if ARGV[15] ~= '' then
  for _, lane in ipairs({ hi, queue }) do
    local newest = redis.call('LRANGE', lane[1], 0, 127)
    for at = #newest, 1, -1 do
      local body = newest[at]
      local readable, command = pcall(cjson.decode, #body <= kept_bytes and body or '')
      local action = readable and type(command) == 'table' and command.action
      if type(action) == 'string' and (' ' .. ARGV[15] .. ' '):find(' ' .. action .. ' ', 1, true) then
        redis.call('RPUSH', lane[1], body)
        redis.call('LREM', lane[1], 1, body)
        return { take(lane, nil) or nil }
      end
    end
  end
  return taken
end

-- What is over the limit of a lane is answered without being run, the oldest first.
for _, lane in ipairs({ hi, queue, lo }) do
  for _ = 1, math.min(redis.call('LLEN', lane[1]) - most_waiting, 64) do
    local one = take(lane, 'queue_full')
    if one then taken[#taken + 1] = one end
  end
end
local room = slots - redis.call('HLEN', work)
while room > reserved and take_from(order()) do
  room, turned = room - 1, turned + 1
end
while room > 0 and room <= reserved and take_from({ hi }) do room = room - 1 end
if turned > wheel then redis.call('SET', KEYS[9], turned % 16, 'PX', lease) end

return taken
