-- Charges a request without a valid key to an address, or looks where it stands.
-- KEYS: the hash of the address. ARGV: the time or '', 'charge' or 'look', requests a minute.
-- Answers the time, the refusal or '', what is used of the minute.

local now = timeOf(ARGV[1])
local perMinute = tonumber(ARGV[3])

local minute = {}
minute.start, minute.used, minute.otherStart, minute.otherUsed =
  read(KEYS[1], { 'start', 'used', 'otherStart', 'otherUsed' })
turn(minute, now, MINUTE)

if ARGV[2] ~= 'charge' then return { now, '', minute.used } end
if minute.used >= perMinute then return { now, 'minute', minute.used } end

minute.used = minute.used + 1
redis.call('HSET', KEYS[1], 'start', minute.start, 'used', minute.used,
  'otherStart', minute.otherStart, 'otherUsed', minute.otherUsed)
redis.call('PEXPIRE', KEYS[1], 3 * MINUTE)
return { now, '', minute.used }
