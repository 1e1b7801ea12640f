-- Charges requests to a key, in order, or looks up its quota status. Counts like
-- windows-and-bans.ts.
-- KEYS: the hash of the key's family. ARGV: the time or '', 'charge' or 'peek', the number of
-- requests, then argumentsOf in valkey.ts.
-- Returns for each request: the time, the refusal or '', the use of minute and day, the end of the
-- last ban, and 1 if this refusal sets a ban.

local now = timeOf(ARGV[1])
local charges = ARGV[2] == 'charge'
local perMinute, perDay = tonumber(ARGV[4]), tonumber(ARGV[5])
local unbannedAt = tonumber(ARGV[6])
local banRefusals, banMs, banMaxMs = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])

local minute, day = {}, {}
local refusalsStart, refusals, bans, bannedUntil, liftedAt
minute.start, minute.used, minute.otherStart, minute.otherUsed,
day.start, day.used, day.otherStart, day.otherUsed,
refusalsStart, refusals, bans, bannedUntil, liftedAt = read(KEYS[1], {
  'minuteStart', 'minuteUsed', 'minuteOtherStart', 'minuteOtherUsed',
  'dayStart', 'dayUsed', 'dayOtherStart', 'dayOtherUsed',
  'refusalsStart', 'refusals', 'bans', 'bannedUntil', 'liftedAt',
})

local lifts = unbannedAt > liftedAt
if lifts then
  liftedAt, refusals, bans, bannedUntil = unbannedAt, 0, 0, 0
end
-- A clock that was ahead leaves a ban that is longer than any.
if bannedUntil - now > banMaxMs then bannedUntil = 0 end
turn(minute, now, MINUTE)
turn(day, now, DAY)

local decisions = {}
for n = 1, tonumber(ARGV[3]) do
  local refusal = ''
  if charges then
    if now < bannedUntil then refusal = 'banned'
    elseif day.used >= perDay then refusal = 'day'
    elseif minute.used >= perMinute then refusal = 'minute'
    else
      minute.used = minute.used + 1
      day.used = day.used + 1
    end
  end

  -- Taken before the refusal is counted: the refusal that completes the count is not yet a ban.
  local decision = { now, refusal, minute.used, day.used, bannedUntil, 0 }
  decisions[n] = decision

  if refusal == 'minute' or refusal == 'day' then
    if refusalsStart ~= minute.start then
      refusalsStart, refusals = minute.start, 0
    end
    refusals = refusals + 1
    if refusals >= banRefusals then
      if now - bannedUntil >= DAY then bans = 0 end
      bannedUntil = now + math.min(banMs * 2 ^ bans, banMaxMs)
      bans, refusals = bans + 1, 0
      decision[6] = 1
    end
  end
end

if charges or lifts then
  redis.call('HSET', KEYS[1],
    'minuteStart', minute.start, 'minuteUsed', minute.used,
    'minuteOtherStart', minute.otherStart, 'minuteOtherUsed', minute.otherUsed,
    'dayStart', day.start, 'dayUsed', day.used,
    'dayOtherStart', day.otherStart, 'dayOtherUsed', day.otherUsed,
    'refusalsStart', refusalsStart, 'refusals', refusals,
    'bans', bans, 'bannedUntil', bannedUntil, 'liftedAt', liftedAt)
  -- Counts live for two days; a ban until a later one would no longer be doubled.
  redis.call('PEXPIRE', KEYS[1], math.max(2 * DAY, bannedUntil - now + DAY))
end

return decisions
