-- The last of three steps. KEYS: work. ARGV: field.
redis.call('HDEL', KEYS[1], ARGV[1])
