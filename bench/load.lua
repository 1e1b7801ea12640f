-- Tells wrk to send the requests given by the environment, and prints the counts as a line of JSON.

wrk.method = os.getenv('BENCH_METHOD')
wrk.headers['Authorization'] = os.getenv('BENCH_AUTHORIZATION')

local body = os.getenv('BENCH_BODY')
if body ~= '' then
  wrk.body = body
  wrk.headers['Content-Type'] = 'application/json'
end

local paths, requests, last = {}, {}, 0
for path in os.getenv('BENCH_PATHS'):gmatch('%S+') do
  table.insert(paths, path)
end

function init()
  for i, path in ipairs(paths) do
    requests[i] = wrk.format(nil, path)
  end
end

-- With a single path wrk repeats the same bytes without calling Lua.
if #paths == 1 then
  wrk.path = paths[1]
else
  function request()
    last = last % #requests + 1
    return requests[last]
  end
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '{"requests":%d,"bytes":%d,"microseconds":%d,"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, summary.bytes, summary.duration, errors.status, broken,
    latency:percentile(50), latency:percentile(99)
  ))
end
