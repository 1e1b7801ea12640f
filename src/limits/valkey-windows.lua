-- Prepended to each script: the clock, and fixed windows that count like windows-and-bans.ts.

local MINUTE = 60000
local DAY = 86400000

-- The engine's time, so that all instances agree; or a given time, in tests.
local function timeOf(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Turns a count to the window that contains `now`, and keeps the previous one.
local function turn(count, now, length)
  local start = math.floor(now / length) * length
  if count.start == start then return end
  local used = 0
  if count.otherStart == start then used = count.otherUsed end
  count.otherStart, count.otherUsed = count.start, count.used
  count.start, count.used = start, used
end

-- Reads fields of a hash as numbers; a missing field is 0.
local function read(key, fields)
  local numbers = redis.call('HMGET', key, unpack(fields))
  for i = 1, #fields do numbers[i] = tonumber(numbers[i]) or 0 end
  return unpack(numbers)
end
