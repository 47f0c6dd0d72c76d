import { OFFLINE_PREFIX } from './lease.ts'

// Lua scripts. Redis runs each as one atomic step.

/**
 * The rule of window.ts in Lua. Only inside Redis can requests of several processes be decided in one atomic
 * step. Each caller has a hash, and a list of its latest refusals. Fields of the hash:
 *
 *   ml ms mu mx   minute: its id, start, requests charged, and further requests leased to processes
 *   dl ds du dx   day: the same
 *   bu bs         end of the latest ban, and its length in seconds
 *   p:<process>   session; then for minute and for day: window id, requests charged through this process, and
 *                 its cap: the most requests that it may serve in that window while offline
 *   me mt mf      rebuild of the minute: what it rebuilds, the sum of the reports, the highest total reported
 *   de dt df      rebuild of the day: the same
 *
 * The id of a window is the time at which it was opened. Its start may move when the store's clock jumps
 * back.
 */
const WINDOWS = `
local clock = redis.call('TIME')
local real = clock[1] * 1000 + math.floor(clock[2] / 1000)
local now = ARGV[3] ~= '' and tonumber(ARGV[3]) or real
local key, process, session = KEYS[1], 'p:' .. ARGV[1], tonumber(ARGV[2])
local stored = redis.call('HMGET', key, 'ml', 'ms', 'mu', 'mx', 'dl', 'ds', 'du', 'dx', 'bu', 'bs', process)
local own = {}
for part in string.gmatch(stored[11] or '', '[^ ]+') do own[#own + 1] = part end
if session < tonumber(own[1] or 0) then return { 'stale' } end

local shifted = false
local function window(prefix, at, index, length)
  local w = { prefix = prefix, length = length, windowId = '', start = 0, used = 0 }
  w.leased, w.charged, w.cap = 0, 0, 0
  local start = tonumber(stored[at + 1] or 0)
  if not stored[at] or stored[at] == '' or now >= start + length then return w end
  w.windowId, w.start = stored[at], math.min(start, now)
  w.used, w.leased = tonumber(stored[at + 2]), tonumber(stored[at + 3])
  if start > now then shifted = true end
  if own[index] == w.windowId then
    w.charged, w.cap = tonumber(own[index + 1]), tonumber(own[index + 2])
  end
  return w
end
local minute, day = window('m', 1, 2, 60000), window('d', 5, 5, 86400000)
local banSeconds = tonumber(stored[10] or 0)
local bannedUntil = math.min(tonumber(stored[9] or 0), now + banSeconds * 1000)

local function leasedHere(w) return math.max(0, w.cap - w.charged) end
local function leasedToOthers(w) return w.leased - leasedHere(w) end
local function setLease(w, charged, cap)
  local others = leasedToOthers(w)
  w.charged, w.cap = charged, cap
  w.leased = others + leasedHere(w)
end
local function idOf(w) return w.windowId == '' and '-' or w.windowId end
local function save(memorySeconds)
  redis.call('HSET', key, 'bu', bannedUntil, 'bs', banSeconds,
    'ml', minute.windowId, 'ms', minute.start, 'mu', minute.used, 'mx', minute.leased,
    'dl', day.windowId, 'ds', day.start, 'du', day.used, 'dx', day.leased,
    process, table.concat({ session, idOf(minute), minute.charged, minute.cap,
      idOf(day), day.charged, day.cap }, ' '))
  local ends = math.max(minute.start + minute.length, day.start + day.length,
    bannedUntil > 0 and bannedUntil + memorySeconds * 1000 or 0)
  -- At least a minute, so late messages from an earlier session still find the number of this one.
  redis.call('PEXPIRE', key, math.max(60000, ends - now))
end
local function answer(outcome)
  return { outcome, now, bannedUntil, banSeconds,
    minute.windowId, minute.start, minute.used, minute.charged, minute.cap,
    day.windowId, day.start, day.used, day.charged, day.cap }
end
`

/**
 * Decides about the requests of a batch in order. Charges each request to both windows or to neither. The
 * last two results are the numbers of allowed and of limited requests, and `outcome` applies to all other
 * requests of the batch. The outcome is `recall minute` or `recall day` if the rest of the limit is leased
 * to other processes, and `held` if it is reserved for offline processes.
 */
export const TAKE = `${WINDOWS}
local perMinute, perDay, processes = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local viewedAt = tonumber(ARGV[7])
-- A process whose view is over a second old does not know which offline processes need a reserve.
if math.abs(real - viewedAt) > 1000 then return { 'view' } end
-- The process remembers more of this day than the store, so the store has lost data.
local remembered = day.windowId == ARGV[9] and day.charged >= tonumber(ARGV[11])
if ARGV[9] ~= '' and now < tonumber(ARGV[10]) and not remembered then return { 'reconcile' } end
local afterRefusals, memorySeconds = tonumber(ARGV[13]), tonumber(ARGV[17])

local function countRefusal()
  local refusals = KEYS[2]
  local count = redis.call('RPUSH', refusals, now)
  if count > afterRefusals + 1 then
    redis.call('LTRIM', refusals, -(afterRefusals + 1), -1)
    count = afterRefusals + 1
  end
  redis.call('PEXPIRE', refusals, ARGV[14])
  local oldest = tonumber(redis.call('LINDEX', refusals, 0))
  if count <= afterRefusals or now - oldest >= tonumber(ARGV[14]) then return end
  local isRepeated = bannedUntil > 0 and now < bannedUntil + memorySeconds * 1000
  banSeconds = math.min(isRepeated and banSeconds * 2 or tonumber(ARGV[15]), tonumber(ARGV[16]))
  bannedUntil = now + banSeconds * 1000
  redis.call('DEL', refusals)
  shifted = true
end

local gone = ARGV[12]
local function blocked(w, limit, reserve) return w.used + leasedToOthers(w) + reserve >= limit end

-- Leases of processes that are gone are freed. What those may have served offline counts as used.
local function release(freed)
  for id, minutes in string.gmatch(freed, '([^, ]+) (%d+)') do
    local parts = {}
    local field = redis.call('HGET', key, 'p:' .. id) or ''
    for part in string.gmatch(field, '[^ ]+') do parts[#parts + 1] = part end
    for index, w in pairs({ [2] = minute, [5] = day }) do
      if parts[index] == w.windowId then
        local lease = math.max(0, tonumber(parts[index + 2]) - tonumber(parts[index + 1]))
        w.leased = w.leased - lease
        w.used = w.used + math.min(lease, minutes * perMinute)
      end
    end
    if parts[7] then
      parts[4], parts[7] = parts[3], parts[6]
      redis.call('HSET', key, 'p:' .. id, table.concat(parts, ' '))
    end
    shifted = true
  end
end

-- An offline process may open minutes of its own, so a reserve is kept for it. It opens none while it has a
-- lease of the current minute.
local function reserveFor(silent)
  local total = 0
  for id, part in string.gmatch(silent, '([^,=]+)=(%d+)') do
    local windowId = string.match(redis.call('HGET', key, 'p:' .. id) or '', '^[^ ]+ ([^ ]+)')
    if windowId ~= minute.windowId or tonumber(windowId) ~= minute.start then total = total + part end
  end
  return total
end

local function charge(w, limit, reserve)
  if w.windowId == '' then w.windowId, w.start = tostring(now), now end
  local others = leasedToOthers(w)
  w.used, w.charged = w.used + 1, w.charged + 1
  w.leased = others + leasedHere(w)
  -- Near the limit nothing is leased, so the last requests need no recall.
  local left = limit - w.used - w.leased - reserve
  local share = left * 16 < limit and 0 or math.floor(left / (processes + 1))
  setLease(w, w.charged, math.max(w.cap, w.charged + share))
end

-- Removes fields of processes that have ended, so the hash of a caller who never pauses does not grow. A day
-- that ended a minute ago no longer counts, and all messages from earlier sessions have arrived.
local function forgetEnded()
  local fields = redis.call('HGETALL', key)
  for index = 1, #fields, 2 do
    local opened = string.match(fields[index], '^p:') and string.match(fields[index + 1], '(%d+) %S+ %S+$')
    if opened and now - opened > day.length + 60000 then redis.call('HDEL', key, fields[index]) end
  end
end

local function decide()
  if now < bannedUntil then return 'banned' end
  if minute.used >= perMinute or day.used >= perDay then
    if ARGV[13] ~= '' then countRefusal() end
    return now < bannedUntil and 'banned' or 'limited'
  end
  if gone ~= '' then release(gone) end
  gone = ''
  local reserve = reserveFor(ARGV[8])
  local tightMinute, tightDay = blocked(minute, perMinute, reserve), blocked(day, perDay, 0)
  if not tightMinute and not tightDay then
    if day.windowId == '' then forgetEnded() end
    charge(minute, perMinute, reserve)
    charge(day, perDay, 0)
    return 'allowed'
  end
  if tightMinute and leasedToOthers(minute) > 0 then return 'recall minute' end
  if tightDay and leasedToOthers(day) > 0 then return 'recall day' end
  return 'held'
end

local outcome
local counts = { allowed = 0, limited = 0 }
for _ = 1, tonumber(ARGV[18]) do
  outcome = decide()
  -- The outcome is final: all remaining requests have the same one.
  if not counts[outcome] then break end
  counts[outcome] = counts[outcome] + 1
end
if counts.allowed > 0 or shifted then save(memorySeconds or 0) end
local result = answer(outcome)
result[#result + 1], result[#result + 2] = counts.allowed, counts.limited
return result
`

/**
 * Applies a report of one process about a caller. A report contains totals, not differences, so applying it
 * twice has no further effect. ARGV[4] is the kind:
 *
 *   release    gives back the lease for the window that ARGV[5] names; the rest of the report is ignored
 *   reconcile  after the connection failed: charges exactly what the process served
 *   rebuild    after the store lost its data (ARGV[5] names the loss): the total becomes the sum of all
 *              reports, or the highest total that a process has seen, whichever is larger
 */
export const RECONCILE = `${WINDOWS}
local function report(w, at)
  local windowId, start, served = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local seen, cap = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local live = windowId ~= '' and now < start + w.length
  if w.windowId == '' then
    -- A window without any known request is not created.
    if not live or seen == 0 then return end
    w.windowId, w.start = windowId, math.min(start, now)
    -- The process opened this minute offline, possibly during a minute of the others that has ended since.
    -- With its early start, the others could use the limit twice within a minute. So it starts now.
    if string.sub(windowId, 1, ${OFFLINE_PREFIX.length}) == '${OFFLINE_PREFIX}' then w.start = now end
    if ARGV[4] == 'reconcile' then w.used = seen - served end
  elseif w.windowId ~= windowId and not live then
    -- The process never learned of this window, so it served nothing that was charged to it here.
    served, cap = 0, 0
  end
  -- Requests served offline in a separate window count towards the window of the others. What remains of the
  -- cap is leased there, because the process goes on serving if it does not receive this answer.
  local total = w.used + served - w.charged
  if ARGV[4] == 'rebuild' then
    local rebuildId = ARGV[5] .. ' ' .. w.windowId
    local rebuild = redis.call('HMGET', key, w.prefix .. 'e', w.prefix .. 't', w.prefix .. 'f')
    local sum, highest = total, seen
    if rebuild[1] == rebuildId then
      sum, highest = tonumber(rebuild[2]) + served - w.charged, math.max(tonumber(rebuild[3]), seen)
    end
    redis.call('HSET', key, w.prefix .. 'e', rebuildId, w.prefix .. 't', sum, w.prefix .. 'f', highest)
    total = math.max(sum, highest)
  end
  w.used = math.max(0, total)
  setLease(w, served, math.max(served, cap))
end

if ARGV[4] == 'release' then
  local w = ARGV[5] == 'day' and day or minute
  setLease(w, w.charged, w.charged)
else
  report(minute, 6)
  report(day, 11)
  if tonumber(ARGV[16]) > bannedUntil then
    bannedUntil, banSeconds = tonumber(ARGV[16]), tonumber(ARGV[17])
  end
end
-- Saved even if only the session changed, because messages of an earlier session may still arrive.
save(tonumber(ARGV[18]))
return answer('reconciled')
`

/**
 * Tracks which processes share the counters, and whether the store has lost its data. All keys are in one
 * cluster slot:
 *
 *   members    process → time of its latest heartbeat
 *   shares     process → the part of each minute's limit that it may use while offline
 *   gone       processes that will never serve again, kept while a lease of theirs may exist
 *   freed      the same processes, each with the number of minutes in which it may have served offline
 *   epoch      run: id of the server process; number: id of the store's data; since: when it began; open:
 *              whether requests may be charged
 *   awaited    processes that must report before the epoch opens
 *
 * ARGV: process, kind (view, alive, bye), its part of the limit, time of sending by the store's clock ('' if
 * unknown), ms until a process is silent, ms until it is gone, ms that a new epoch waits for reports, the
 * process's epoch ('' after a start), the epoch it has reported to, the processes it knows.
 *
 * A silent process may still be serving offline. It is gone only after its own `bye`, or after the time at
 * which it stops serving by itself.
 */
export const BEAT = `
local members, shares, gone, epoch, awaited, freed = unpack(KEYS)
local id, kind = ARGV[1], ARGV[2]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local fence = now - tonumber(ARGV[6])

local function forget(member)
  redis.call('ZREM', members, member)
  redis.call('HDEL', shares, member)
end
local function leave(member)
  if redis.call('ZSCORE', gone, member) then return end
  local minutes = 0
  if member ~= id then
    local away = now - tonumber(redis.call('ZSCORE', members, member) or 0)
    minutes = math.min(1500, math.floor(away / 60000) + 2)
  end
  redis.call('ZADD', gone, now, member)
  redis.call('ZADD', freed, now, member .. ' ' .. minutes)
  redis.call('SREM', awaited, member)
  if member == id then forget(member) end
end

-- A restarted server has older data, or none.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local stored = redis.call('HMGET', epoch, 'run', 'number', 'since', 'open')
local number, since, open = stored[2], tonumber(stored[3] or now), stored[4] == '1'
if stored[1] ~= run then
  number, since, open = now .. id, now, false
  redis.call('HSET', epoch, 'run', run, 'number', number, 'since', now, 'open', 0)
  for _, member in ipairs(redis.call('ZRANGE', members, 0, -1)) do redis.call('SADD', awaited, member) end
end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. fence)) do
  leave(member)
end
if kind == 'bye' then leave(id) end
-- Requests served offline just before a process went count for another minute, so its reserve stays.
for _, member in ipairs(redis.call('ZRANGE', members, 0, -1)) do
  local left = tonumber(redis.call('ZSCORE', gone, member) or now)
  if now - left >= 60000 then forget(member) end
end
local isGone = redis.call('ZSCORE', gone, id)
-- An "alive" that was buffered for over a second is ignored.
if kind == 'alive' and not isGone and (ARGV[4] == '' or now - tonumber(ARGV[4]) <= 1000) then
  redis.call('ZADD', members, now, id)
  redis.call('HSET', shares, id, ARGV[3])
end

if not open then
  if ARGV[9] == number or ARGV[8] == number then
    redis.call('SREM', awaited, id)
    -- If this process falls silent before it is online, and the data is lost again, others must wait for it.
    if not isGone and redis.call('ZADD', members, 'NX', now, id) == 1 then
      redis.call('HSET', shares, id, ARGV[3])
    end
  elseif ARGV[8] ~= '' and not isGone then
    redis.call('SADD', awaited, id)
    for member in string.gmatch(ARGV[10], '[^,]+') do redis.call('SADD', awaited, member) end
  end
  for _, member in ipairs(redis.call('SMEMBERS', awaited)) do
    local last = tonumber(redis.call('ZSCORE', members, member) or since)
    if last < fence or redis.call('ZSCORE', gone, member) then redis.call('SREM', awaited, member) end
  end
  if redis.call('SCARD', awaited) == 0 and now - since >= tonumber(ARGV[7]) then
    open = true
    redis.call('HSET', epoch, 'open', 1)
  end
end

for _, list in ipairs({ gone, freed }) do redis.call('ZREMRANGEBYSCORE', list, '-inf', now - 90000000) end
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 90000000) end

local silent = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. now - tonumber(ARGV[5]))) do
  if member ~= id then silent[#silent + 1] = member .. '=' .. (redis.call('HGET', shares, member) or '1') end
end
-- Includes awaited processes, so others know of them if the data is lost again.
local ids = redis.call('ZRANGE', members, 0, -1)
for _, member in ipairs(redis.call('SMEMBERS', awaited)) do
  if not redis.call('ZSCORE', members, member) then ids[#ids + 1] = member end
end
return { now, number, open and 1 or 0, isGone and 1 or 0, table.concat(ids, ','), table.concat(silent, ',') }
`
