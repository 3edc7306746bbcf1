-- A router with keys asks what agents want taken back. KEYS: control.
return words(KEYS[1])
