-- Charges requests without a valid key to an address, in order, or looks up its quota status.
-- KEYS: the hash of the address. ARGV: the time or '', 'charge' or 'peek', the number of requests,
-- the limit per minute.
-- Returns for each request: the time, the refusal or '', the use of the minute.

local now = timeOf(ARGV[1])
local charges = ARGV[2] == 'charge'
local perMinute = tonumber(ARGV[4])

local minute = {}
minute.start, minute.used, minute.otherStart, minute.otherUsed =
  read(KEYS[1], { 'start', 'used', 'otherStart', 'otherUsed' })
turn(minute, now, MINUTE)

local decisions = {}
local before = minute.used
for n = 1, tonumber(ARGV[3]) do
  local refusal = ''
  if charges then
    if minute.used >= perMinute then refusal = 'minute'
    else minute.used = minute.used + 1
    end
  end
  decisions[n] = { now, refusal, minute.used }
end

if minute.used > before then
  redis.call('HSET', KEYS[1], 'start', minute.start, 'used', minute.used,
    'otherStart', minute.otherStart, 'otherUsed', minute.otherUsed)
  redis.call('PEXPIRE', KEYS[1], 3 * MINUTE)
end
return decisions
