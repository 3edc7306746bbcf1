-- Shared: puts a reply where its agent waits for it, unless one lies there.
local function publish(replies, reply, ttl)
  if redis.call('EXISTS', replies) == 0 then
    redis.call('LPUSH', replies, reply)
    redis.call('PEXPIRE', replies, ttl)
  end
end
