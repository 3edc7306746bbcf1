-- The second of three steps: the reply is sent. KEYS: replies. ARGV: reply, how long it waits (ms).
publish(KEYS[1], ARGV[1], ARGV[2])
