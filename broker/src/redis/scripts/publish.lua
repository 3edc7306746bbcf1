-- Shared: puts a reply where its agent waits for it, unless it lies there. Something else that lies there is none of ours,
-- and must not keep it from coming first.
local function publish(replies, reply, ttl)
  if not redis.call('LPOS', replies, reply, 'MAXLEN', 16) then
    redis.call('LPUSH', replies, reply)
    redis.call('PEXPIRE', replies, ttl)
  end
end
