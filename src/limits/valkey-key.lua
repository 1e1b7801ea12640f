-- Charges requests to a key, one after the other, or looks where it stands: as memory.ts and bans.ts
-- do it.
-- KEYS: the hash of the family of the key. ARGV: the time or '', 'charge' or 'look', how many, and
-- argumentsOf in valkey.ts.
-- Answers for each the time, the refusal or '', what is used of minute and day, the end of the last
-- ban, and 1 where this refusal begins another.

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
turn(minute, now, MINUTE)
turn(day, now, DAY)

local answers = {}
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

  -- Said before the refusal is counted: the one that completes the count is not yet a ban.
  local answer = { now, refusal, minute.used, day.used, bannedUntil, 0 }
  answers[n] = answer

  if refusal == 'minute' or refusal == 'day' then
    if refusalsStart ~= minute.start then
      refusalsStart, refusals = minute.start, 0
    end
    refusals = refusals + 1
    if refusals >= banRefusals then
      if now - bannedUntil >= DAY then bans = 0 end
      bannedUntil = now + math.min(banMs * 2 ^ bans, banMaxMs)
      bans, refusals = bans + 1, 0
      answer[6] = 1
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
  -- Two days for the counts; for a ban, until nothing that follows it would be doubled.
  redis.call('PEXPIRE', KEYS[1], math.max(2 * DAY, bannedUntil - now + DAY))
end

return answers
