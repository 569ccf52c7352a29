-- Sends the request of a file that load.js writes, with new names in each request, and prints a line of JSON at the end.
-- {unique} is 32 random hexadecimal digits; {1}, {2}, … are the columns of a random line of a file of names.

local spec, method, path, body, key, lines, line

local function fresh()
  return string.format("%08X%08X%08X%08X", math.random(0, 4294967295), math.random(0, 4294967295),
    math.random(0, 4294967295), math.random(0, 4294967295))
end

-- Returns a function that fills a template: its pieces alternate between texts and placeholders.
local function compile(template)
  if template == nil then return nil end
  -- Without a placeholder, gmatch would search the rest of the template from each of its characters.
  if not template:find("{%w+}") then return function() return template end end
  local pieces, from = {}, 1
  for text, name, to in template:gmatch("(.-){(%w+)}()") do
    pieces[#pieces + 1] = text
    pieces[#pieces + 1] = name == "unique" and fresh or tonumber(name)
    from = to
  end
  pieces[#pieces + 1] = template:sub(from)
  local out = {}
  return function()
    for i = 1, #pieces do
      local piece = pieces[i]
      if piece == fresh then out[i] = fresh()
      elseif type(piece) == "number" then out[i] = line[piece]
      else out[i] = piece end
    end
    return table.concat(out)
  end
end

function init(args)
  spec = dofile(args[1])
  math.randomseed(spec.seed)
  method, path, body, key = spec.method, compile(spec.path), compile(spec.body), compile(spec.idempotencyKey)
  for name, value in pairs(spec.headers) do wrk.headers[name] = value end
  if spec.lines ~= nil then
    lines = {}
    for text in io.lines(spec.lines) do lines[#lines + 1] = text end
  end
  collectgarbage("stop")
end

-- Collecting garbage with a million names takes longer than a hundred responses, which would be attributed to the server.
local function keepMemoryBounded()
  if collectgarbage("count") < 1000000 then return end
  collectgarbage()
  collectgarbage("stop")
end

function request()
  keepMemoryBounded()
  if lines ~= nil then
    line = {}
    for column in lines[math.random(#lines)]:gmatch("[^\t]+") do line[#line + 1] = column end
  end
  if key ~= nil then wrk.headers["Idempotency-Key"] = key() end
  return wrk.format(method, path(), wrk.headers, body and body())
end

function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    '\nRESULT {"operations": %d, "seconds": %f, "p50Ms": %f, "p99Ms": %f, "rejected": %d, "broken": %d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1000, latency:percentile(99) / 1000,
    e.status, e.connect + e.read + e.write + e.timeout))
end
