-- Goes before each script: the clock, and the fixed windows as windows.ts counts them.

local MINUTE = 60000
local DAY = 86400000

-- The time of the engine, so that all who share it agree on it; or a given one, in tests.
local function timeOf(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Turns a count to the window that holds `now`, keeping the one that was counted before it.
local function turn(count, now, length)
  local start = math.floor(now / length) * length
  if count.start == start then return end
  local used = 0
  if count.otherStart == start then used = count.otherUsed end
  count.otherStart, count.otherUsed = count.start, count.used
  count.start, count.used = start, used
end

-- The numbers of these fields of a hash, 0 for those that are not there.
local function read(key, fields)
  local numbers = redis.call('HMGET', key, unpack(fields))
  for i = 1, #fields do numbers[i] = tonumber(numbers[i]) or 0 end
  return unpack(numbers)
end
