-- Tells wrk to send the requests of a plan, and prints the counts as a line of JSON.
-- The plan's first line is the order of the kinds of requests, counted from 1. Each further line is a
-- kind: method, body and paths, separated by tabs. The order repeats, and so do the paths of each kind.

local PLACE = '/path'

local order, kinds = {}, {}
for line in io.lines(os.getenv('BENCH_PLAN')) do
  if #order == 0 then
    for kind in line:gmatch('%d+') do
      table.insert(order, tonumber(kind))
    end
  else
    local method, body, paths = line:match('^(%u+)\t([^\t]*)\t(.*)$')
    table.insert(kinds, { method = method, body = body, paths = paths, requests = {}, turn = 0 })
  end
end

wrk.headers['Authorization'] = os.getenv('BENCH_AUTHORIZATION')

local function choose(kind)
  wrk.method = kind.method
  wrk.body = kind.body ~= '' and kind.body or nil
  wrk.headers['Content-Type'] = wrk.body and 'application/json'
end

-- Formats one request and puts the paths into it, since there may be 100,000.
local function prepare(kind)
  choose(kind)
  local text = wrk.format(nil, PLACE)
  local first, last = text:find(PLACE, 1, true)
  local before, after = text:sub(1, first - 1), text:sub(last + 1)
  for path in kind.paths:gmatch('%S+') do
    local rest = after
    if path:find('^/adopt') then
      -- An address may see 300 public pages a minute, so each request comes from its own.
      local n = #kind.requests
      local from = string.format('X-Forwarded-For: 10.%d.%d.1', n / 250, n % 250)
      rest = after:gsub('\r\n', '\r\n' .. from .. '\r\n', 1)
    end
    table.insert(kind.requests, before .. path .. rest)
  end
end

-- Globals, so that `done` can read them from the thread.
additions, preparation = 0, 0

if #order == 1 and not kinds[1].paths:find(' ') then
  -- Without a function `request` wrk repeats the same bytes and does not call Lua.
  choose(kinds[1])
  wrk.path = kinds[1].paths
else
  local step = 0

  function init()
    for _, kind in ipairs(kinds) do
      prepare(kind)
    end
    preparation = os.clock() * 1e6
  end

  function request()
    step = step % #order + 1
    local kind = kinds[order[step]]
    kind.turn = kind.turn % #kind.requests + 1
    if kind.body ~= '' then
      additions = additions + 1
    end
    return kind.requests[kind.turn]
  end
end

local threads = {}
function setup(thread)
  table.insert(threads, thread)
end

function done(summary, latency)
  local errors = summary.errors
  local broken = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format(
    '{"requests":%d,"additions":%d,"bytes":%d,"microseconds":%d,"preparation":%d,'
      .. '"refused":%d,"broken":%d,"p50":%d,"p99":%d}\n',
    summary.requests, threads[1]:get('additions'), summary.bytes, summary.duration,
    threads[1]:get('preparation'), errors.status, broken,
    latency:percentile(50), latency:percentile(99)
  ))
end
