-- Sends GET requests for a page from many addresses, and every nth time a change of an animal.
-- The addresses are those of a trusted proxy, because each may see 300 pages a minute.

local path, every = os.getenv('BENCH_PATH'), tonumber(os.getenv('BENCH_EVERY'))
local pet, key = os.getenv('BENCH_PET'), os.getenv('BENCH_AUTHORIZATION')
local turn = 0

function request()
  turn = turn + 1
  if every > 0 and turn % every == 0 then
    local body = string.format('{"headline":"Calm %d"}', turn)
    local headers = { ['Content-Type'] = 'application/json', ['Authorization'] = key }
    return wrk.format('PATCH', '/v1/pets/' .. pet .. '/profile', headers, body)
  end
  local from = string.format('10.%d.%d.1', math.floor(turn / 250) % 250, turn % 250)
  return wrk.format('GET', path, { ['X-Forwarded-For'] = from })
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"requests":%d,"microseconds":%d,"refused":%d,"broken":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write + errors.timeout, latency:percentile(99)))
end
