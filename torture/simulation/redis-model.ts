import { type LuaEngine, LuaFactory } from 'wasmoon'

/** The part of Redis that the scripts use, in Lua, so they run unchanged. The caller passes the time. */
export interface RedisModel {
  /** Empties the data and sets the run_id, as for a new server. */
  restart(runId: string): void
  /** FLUSHALL on the running server. */
  flush(): void
  /** Saves a copy of all keys, which `load` restores. */
  save(): void
  load(): void
  run(now: number, script: string, keys: string[], args: (string | number)[]): unknown[]
  members(now: number, key: string): string[]
}

/** Separates values, which do not contain this character. */
const SEPARATOR = '\x1f'

export async function openRedisModel(): Promise<RedisModel> {
  const engine = await new LuaFactory().createEngine()
  engine.doStringSync(SERVER)
  const [call, load, control] = ['call', 'load_script', 'control'].map((name) => functionOf(engine, name))
  const numbers = new Map<string, string>()

  function run(now: number, script: string, keys: string[], args: (string | number)[]): unknown[] {
    let number = numbers.get(script)
    if (number === undefined) {
      number = String(numbers.size + 1)
      numbers.set(script, number)
      load?.(number, script)
    }
    const answer = call?.(number, String(now), keys.join(SEPARATOR), [...args, ''].join(SEPARATOR)) ?? ''
    return readAnswer(answer)
  }

  const send = (what: string, value = ''): void => void control?.(what, value)
  return {
    restart: (runId) => send('restart', runId),
    flush: () => send('flush'),
    save: () => send('save'),
    load: () => send('load'),
    run,
    members: (now, key) => run(now, `return redis.call('ZRANGE', KEYS[1], '0', '-1')`, [key], []).map(String),
  }
}

function functionOf(engine: LuaEngine, name: string): (...values: string[]) => string {
  return engine.global.get(name)
}

/** Parses an answer, in which each value starts with the letter of its type. */
function readAnswer(text: string): unknown[] {
  return text
    .split(SEPARATOR)
    .slice(0, -1)
    .map((value) => (value[0] === 'n' ? Number(value.slice(1)) : value.slice(1)))
}

const SERVER = String.raw`
local data, saved, run_id, now = {}, {}, 'r', 0
unpack = table.unpack

local function text(value)
  if math.type(value) == 'float' then return string.format('%.17g', value) end
  return tostring(value)
end
local function read(key, empty)
  local entry = data[key]
  if entry and entry.ends and now >= entry.ends then data[key], entry = nil, nil end
  if not entry and empty then
    entry = { value = {} }
    data[key] = entry
  end
  return entry and entry.value
end
local function drop_empty(key)
  if data[key] and next(data[key].value) == nil then data[key] = nil end
end
local function bound(given)
  if given == '-inf' then return -math.huge, false end
  if string.sub(given, 1, 1) == '(' then return tonumber(string.sub(given, 2)), true end
  return tonumber(given), false
end
local function sorted(key)
  local list = {}
  for member, score in pairs(read(key) or {}) do list[#list + 1] = { member, score } end
  table.sort(list, function(a, b) return a[2] < b[2] or (a[2] == b[2] and a[1] < b[1]) end)
  return list
end
local function between(key, least, most)
  local low, low_open = bound(least)
  local high, high_open = bound(most)
  local list = {}
  for _, pair in ipairs(sorted(key)) do
    local score = pair[2]
    if (low_open and score > low or not low_open and score >= low)
      and (high_open and score < high or not high_open and score <= high) then list[#list + 1] = pair[1] end
  end
  return list
end

local commands = {}
function commands.TIME() return { text(now // 1000), text(now % 1000 * 1000) } end
function commands.INFO() return 'run_id:' .. run_id .. '\r\n' end
function commands.DEL(key) data[key] = nil end
function commands.PEXPIRE(key, length)
  if read(key) then data[key].ends = now + tonumber(length) end
end
function commands.HGET(key, field) return (read(key) or {})[field] or false end
function commands.HMGET(key, ...)
  local hash, list = read(key) or {}, {}
  for place, field in ipairs({ ... }) do list[place] = hash[field] or false end
  return list
end
function commands.HSET(key, ...)
  local hash, given = read(key, true), { ... }
  for place = 1, #given, 2 do hash[given[place]] = given[place + 1] end
end
function commands.HGETALL(key)
  local list = {}
  for field, value in pairs(read(key) or {}) do
    list[#list + 1] = field
    list[#list + 1] = value
  end
  return list
end
function commands.HDEL(key, field)
  local hash = read(key)
  if hash then hash[field] = nil end
  drop_empty(key)
end
commands.SREM = commands.HDEL
commands.ZREM = commands.HDEL
function commands.SADD(key, member) read(key, true)[member] = '1' end
function commands.SCARD(key) return #commands.SMEMBERS(key) end
function commands.SMEMBERS(key)
  local list = {}
  for member in pairs(read(key) or {}) do list[#list + 1] = member end
  table.sort(list)
  return list
end
function commands.ZADD(key, ...)
  local set, given = read(key, true), { ... }
  local member = given[#given]
  if given[1] == 'NX' and set[member] then return 0 end
  local added = set[member] and 0 or 1
  set[member] = tonumber(given[#given - 1])
  return added
end
function commands.ZSCORE(key, member)
  local score = (read(key) or {})[member]
  return score and text(score) or false
end
function commands.ZRANGE(key)
  local list = {}
  for place, pair in ipairs(sorted(key)) do list[place] = pair[1] end
  return list
end
function commands.ZRANGEBYSCORE(key, least, most) return between(key, least, most) end
function commands.ZREMRANGEBYSCORE(key, least, most)
  for _, member in ipairs(between(key, least, most)) do read(key)[member] = nil end
  drop_empty(key)
end
function commands.RPUSH(key, value)
  local list = read(key, true)
  list[#list + 1] = value
  return #list
end
function commands.LTRIM(key, from)
  local list = read(key)
  while list and #list > -tonumber(from) do table.remove(list, 1) end
end
function commands.LINDEX(key) return (read(key) or {})[1] or false end

redis = {
  call = function(name, ...)
    local given = { ... }
    for place = 1, #given do given[place] = text(given[place]) end
    return commands[name](table.unpack(given))
  end,
}

local function copy(value)
  if type(value) ~= 'table' then return value end
  local twin = {}
  for name, part in pairs(value) do twin[name] = copy(part) end
  return twin
end
function control(what, value)
  if what == 'restart' then data, run_id = {}, value end
  if what == 'flush' then data = {} end
  if what == 'save' then saved = copy(data) end
  if what == 'load' then data = copy(saved) end
end

local scripts = {}
function load_script(number, source) scripts[number] = assert(load(source)) end
local function split(joined)
  local list = {}
  for part in string.gmatch(joined, '([^\x1f]*)\x1f') do list[#list + 1] = part end
  return list
end
function call(number, time, keys, args)
  now = math.tointeger(tonumber(time))
  KEYS, ARGV = split(keys .. '\x1f'), split(args)
  local parts = {}
  for place, value in ipairs(scripts[number]() or {}) do
    parts[place] = (type(value) == 'number' and 'n' .. text(math.floor(value)) or 's' .. value) .. '\x1f'
  end
  return table.concat(parts)
end
`
