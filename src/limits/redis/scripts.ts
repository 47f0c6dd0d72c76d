import { OWN } from './lease.ts'

// The scripts that Redis runs, in Lua: each is one atomic step.

/**
 * The rule of window.ts once more, in the store itself: only there can several processes be judged in one
 * atomic step. A caller is one hash, with its latest refusals in a list beside it:
 *
 *   ml ms mu mx   minute: its name, start, requests charged, and how many more are leased to processes
 *   dl ds du dx   the same of the day
 *   bu bs         end of the latest ban, and its length in seconds
 *   p:<process>   session, then for minute and day: name of the window, charged through this process, and the
 *                 most that it may serve of that window when it has to decide offline
 *   me mt mf      of a rebuild: what it is about, the sum of the reports, the highest total seen; de dt df
 *
 * A window's name is the time at which it was opened; its start may move when the store's clock jumps back.
 */
const WINDOWS = `
local clock = redis.call('TIME')
local real = clock[1] * 1000 + math.floor(clock[2] / 1000)
local now = ARGV[3] ~= '' and tonumber(ARGV[3]) or real
local key, process, session = KEYS[1], 'p:' .. ARGV[1], tonumber(ARGV[2])
local got = redis.call('HMGET', key, 'ml', 'ms', 'mu', 'mx', 'dl', 'ds', 'du', 'dx', 'bu', 'bs', process)
local mine = {}
for part in string.gmatch(got[11] or '', '[^ ]+') do mine[#mine + 1] = part end
if session < tonumber(mine[1] or 0) then return { 'stale' } end

local shifted = false
local function window(prefix, at, index, length)
  local w = { prefix = prefix, length = length, windowId = '', start = 0, used = 0 }
  w.leased, w.charged, w.cap = 0, 0, 0
  local start = tonumber(got[at + 1] or 0)
  if not got[at] or got[at] == '' or now >= start + length then return w end
  w.windowId, w.start = got[at], math.min(start, now)
  w.used, w.leased = tonumber(got[at + 2]), tonumber(got[at + 3])
  if start > now then shifted = true end
  if mine[index] == w.windowId then
    w.charged, w.cap = tonumber(mine[index + 1]), tonumber(mine[index + 2])
  end
  return w
end
local minute, day = window('m', 1, 2, 60000), window('d', 5, 5, 86400000)
local banSeconds = tonumber(got[10] or 0)
local bannedUntil = math.min(tonumber(got[9] or 0), now + banSeconds * 1000)

local function leasedToMe(w) return math.max(0, w.cap - w.charged) end
local function leasedToOthers(w) return w.leased - leasedToMe(w) end
local function setMine(w, charged, cap)
  local others = leasedToOthers(w)
  w.charged, w.cap = charged, cap
  w.leased = others + leasedToMe(w)
end
local function name(w) return w.windowId == '' and '-' or w.windowId end
local function save(memorySeconds)
  redis.call('HSET', key, 'bu', bannedUntil, 'bs', banSeconds,
    'ml', minute.windowId, 'ms', minute.start, 'mu', minute.used, 'mx', minute.leased,
    'dl', day.windowId, 'ds', day.start, 'du', day.used, 'dx', day.leased,
    process, table.concat({ session, name(minute), minute.charged, minute.cap,
      name(day), day.charged, day.cap }, ' '))
  local ends = math.max(minute.start + minute.length, day.start + day.length,
    bannedUntil > 0 and bannedUntil + memorySeconds * 1000 or 0)
  -- A minute at least: by then whatever an earlier session sent has arrived.
  redis.call('PEXPIRE', key, math.max(60000, ends - now))
end
local function answer(outcome)
  return { outcome, now, bannedUntil, banSeconds,
    minute.windowId, minute.start, minute.used, minute.charged, minute.cap,
    day.windowId, day.start, day.used, day.charged, day.cap }
end
`

/**
 * Judges requests that came at the same moment, one after the other, and charges each to both windows or to
 * none. What was leased to other processes is not given away: the asker is told to `recall` it, or that it
 * is `held` for those who are away. How many were allowed and how many then limited is told last; all others
 * have the outcome.
 */
export const TAKE = `${WINDOWS}
local perMinute, perDay, processes = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local viewedAt = tonumber(ARGV[7])
-- A process that has not looked at the others for a second does not know who must be left a reserve.
if math.abs(real - viewedAt) > 1000 then return { 'view' } end
-- It remembers more of this day than the store does: the store has lost something.
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
  local again = bannedUntil > 0 and now < bannedUntil + memorySeconds * 1000
  banSeconds = math.min(again and banSeconds * 2 or tonumber(ARGV[15]), tonumber(ARGV[16]))
  bannedUntil = now + banSeconds * 1000
  redis.call('DEL', refusals)
  shifted = true
end

local gone = ARGV[12]
local function blocked(w, limit, kept) return w.used + leasedToOthers(w) + kept >= limit end

-- Promises to processes that are gone hold for nobody. What they may have served offline counts as used.
local function release(freed)
  for id, minutes in string.gmatch(freed, '([^, ]+) (%d+)') do
    local parts = {}
    local theirs = redis.call('HGET', key, 'p:' .. id) or ''
    for part in string.gmatch(theirs, '[^ ]+') do parts[#parts + 1] = part end
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

-- Who is away may open minutes of its own; not while one runs of which it holds a lease.
local function reserved(away)
  local kept = 0
  for id, part in string.gmatch(away, '([^,=]+)=(%d+)') do
    local windowId = string.match(redis.call('HGET', key, 'p:' .. id) or '', '^[^ ]+ ([^ ]+)')
    if windowId ~= minute.windowId or tonumber(windowId) ~= minute.start then kept = kept + part end
  end
  return kept
end

local function charge(w, limit, kept)
  if w.windowId == '' then w.windowId, w.start = tostring(now), now end
  local others = leasedToOthers(w)
  w.used, w.charged = w.used + 1, w.charged + 1
  w.leased = others + leasedToMe(w)
  -- Near the limit nothing is leased, so that the last requests need no recall.
  local left = limit - w.used - w.leased - kept
  local share = left * 16 < limit and 0 or math.floor(left / (processes + 1))
  setMine(w, w.charged, math.max(w.cap, w.charged + share))
end

-- Processes come and go, and a caller who never rests would keep what was charged through each of them. Of a
-- day that ended a minute ago nothing counts any more, and whatever an earlier session sent has arrived.
local function forgetEnded()
  local fields = redis.call('HGETALL', key)
  for index = 1, #fields, 2 do
    local opened = string.match(fields[index], '^p:') and string.match(fields[index + 1], '(%d+) %S+ %S+$')
    if opened and now - opened > day.length + 60000 then redis.call('HDEL', key, fields[index]) end
  end
end

local function judge()
  if now < bannedUntil then return 'banned' end
  if minute.used >= perMinute or day.used >= perDay then
    if ARGV[13] ~= '' then countRefusal() end
    return now < bannedUntil and 'banned' or 'limited'
  end
  if gone ~= '' then release(gone) end
  gone = ''
  local reserve = reserved(ARGV[8])
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
  outcome = judge()
  -- Nothing changes any more: all that are left have the same outcome.
  if not counts[outcome] then break end
  counts[outcome] = counts[outcome] + 1
end
if counts.allowed > 0 or shifted then save(memorySeconds or 0) end
local told = answer(outcome)
told[#told + 1], told[#told + 2] = counts.allowed, counts.limited
return told
`

/**
 * Takes over what one process says about a caller. As it says how many it served in all, and not how many
 * more, saying it twice changes nothing. ARGV[4] is the kind:
 *
 *   give      the lease for the window that ARGV[5] names goes back; no more is said
 *   settle    after an outage of the connection: the process served so many, whatever the store had charged
 *   rebuild   after the store lost its memory (ARGV[5] names the loss): the total is the sum of all
 *             reports, or the highest total that anybody saw, whichever is more
 */
export const RECONCILE = `${WINDOWS}
local function report(w, at)
  local windowId, start, served = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local seen, cap = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  local live = windowId ~= '' and now < start + w.length
  if w.windowId == '' then
    -- A window in which nobody was served is none.
    if not live or seen == 0 then return end
    w.windowId, w.start = windowId, math.min(start, now)
    -- Opened offline, it may have begun inside of one that the others had, and has ended by now: to end with
    -- it would give them the limit twice in a minute. From now on it counts for all.
    if string.sub(windowId, 1, ${OWN.length}) == '${OWN}' then w.start = now end
    if ARGV[4] == 'reconcile' then w.used = seen - served end
  elseif w.windowId ~= windowId and not live then
    -- It never heard of this window: nothing that was charged to it here has been served.
    served, cap = 0, 0
  end
  -- What was served offline in a window of its own, while the others had theirs, counts in theirs; and what
  -- may yet be served there is leased in theirs: should the process not hear of this, it goes on.
  local total = w.used + served - w.charged
  if ARGV[4] == 'rebuild' then
    local about = ARGV[5] .. ' ' .. w.windowId
    local known = redis.call('HMGET', key, w.prefix .. 'e', w.prefix .. 't', w.prefix .. 'f')
    local sum, highest = total, seen
    if known[1] == about then
      sum, highest = tonumber(known[2]) + served - w.charged, math.max(tonumber(known[3]), seen)
    end
    redis.call('HSET', key, w.prefix .. 'e', about, w.prefix .. 't', sum, w.prefix .. 'f', highest)
    total = math.max(sum, highest)
  end
  w.used = math.max(0, total)
  setMine(w, served, math.max(served, cap))
end

if ARGV[4] == 'release' then
  local w = ARGV[5] == 'day' and day or minute
  setMine(w, w.charged, w.charged)
else
  report(minute, 6)
  report(day, 11)
  if tonumber(ARGV[16]) > bannedUntil then
    bannedUntil, banSeconds = tonumber(ARGV[16]), tonumber(ARGV[17])
  end
end
-- Also where there is nothing to keep but the session: what an earlier one sent may arrive after this.
save(tonumber(ARGV[18]))
return answer('reconciled')
`

/**
 * Which processes share the counters, and whether the store still has what they put there. All keys in one
 * slot:
 *
 *   members    process → time of its latest sign of life
 *   shares     process → the part of every minute's limit that it may take while it is away
 *   gone       processes that will never serve again, kept while a lease to them may stand somewhere
 *   freed      the same, each with the minutes in which it may have served offline before it went
 *   epoch      run: of the server; number: of its memory; since; open: whether requests may be charged
 *   awaited    processes that have yet to say what they know before the epoch is open
 *
 * ARGV: process, kind (view, alive, bye), its part, when it was sent by the clock of the store ('' when not
 * known), time after which one is silent, after which it is gone, time in which a new epoch gathers, epoch
 * it belongs to ('' when just started), epoch it has reported to, processes it knows.
 *
 * A silent process may be alive, and serve offline: only its own goodbye, or the time after which it serves
 * nobody any more, shows that it is gone.
 */
export const BEAT = `
local members, shares, gone, epoch, awaited, freed = unpack(KEYS)
local id, kind = ARGV[1], ARGV[2]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local fence = now - tonumber(ARGV[6])

local function forget(one)
  redis.call('ZREM', members, one)
  redis.call('HDEL', shares, one)
end
local function leave(one)
  if redis.call('ZSCORE', gone, one) then return end
  local minutes = 0
  if one ~= id then
    local away = now - tonumber(redis.call('ZSCORE', members, one) or 0)
    minutes = math.min(1500, math.floor(away / 60000) + 2)
  end
  redis.call('ZADD', gone, now, one)
  redis.call('ZADD', freed, now, one .. ' ' .. minutes)
  redis.call('SREM', awaited, one)
  if one == id then forget(one) end
end

-- A server that was started again has an older memory, or none.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local kept = redis.call('HMGET', epoch, 'run', 'number', 'since', 'open')
local number, since, open = kept[2], tonumber(kept[3] or now), kept[4] == '1'
if kept[1] ~= run then
  number, since, open = now .. id, now, false
  redis.call('HSET', epoch, 'run', run, 'number', number, 'since', now, 'open', 0)
  for _, one in ipairs(redis.call('ZRANGE', members, 0, -1)) do redis.call('SADD', awaited, one) end
end

for _, one in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. fence)) do leave(one) end
if kind == 'bye' then leave(id) end
-- What it may have served offline counts for another minute: until then a reserve is left for it.
for _, one in ipairs(redis.call('ZRANGE', members, 0, -1)) do
  local left = tonumber(redis.call('ZSCORE', gone, one) or now)
  if now - left >= 60000 then forget(one) end
end
local amGone = redis.call('ZSCORE', gone, id)
-- A sign of life that comes a second late, out of a buffer, is none.
if kind == 'alive' and not amGone and (ARGV[4] == '' or now - tonumber(ARGV[4]) <= 1000) then
  redis.call('ZADD', members, now, id)
  redis.call('HSET', shares, id, ARGV[3])
end

if not open then
  if ARGV[9] == number or ARGV[8] == number then
    redis.call('SREM', awaited, id)
    -- Should it go silent before it is back, and the memory be lost again, the others have to know of it.
    if not amGone and redis.call('ZADD', members, 'NX', now, id) == 1 then
      redis.call('HSET', shares, id, ARGV[3])
    end
  elseif ARGV[8] ~= '' and not amGone then
    redis.call('SADD', awaited, id)
    for one in string.gmatch(ARGV[10], '[^,]+') do redis.call('SADD', awaited, one) end
  end
  for _, one in ipairs(redis.call('SMEMBERS', awaited)) do
    local last = tonumber(redis.call('ZSCORE', members, one) or since)
    if last < fence or redis.call('ZSCORE', gone, one) then redis.call('SREM', awaited, one) end
  end
  if redis.call('SCARD', awaited) == 0 and now - since >= tonumber(ARGV[7]) then
    open = true
    redis.call('HSET', epoch, 'open', 1)
  end
end

for _, list in ipairs({ gone, freed }) do redis.call('ZREMRANGEBYSCORE', list, '-inf', now - 90000000) end
for _, one in ipairs(KEYS) do redis.call('PEXPIRE', one, 90000000) end

local silent = {}
for _, one in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. now - tonumber(ARGV[5]))) do
  if one ~= id then silent[#silent + 1] = one .. '=' .. (redis.call('HGET', shares, one) or '1') end
end
-- Who is awaited is known, too: should the memory be lost once more, all the others tell of it.
local known = redis.call('ZRANGE', members, 0, -1)
for _, one in ipairs(redis.call('SMEMBERS', awaited)) do
  if not redis.call('ZSCORE', members, one) then known[#known + 1] = one end
end
return { now, number, open and 1 or 0, amGone and 1 or 0, table.concat(known, ','), table.concat(silent, ',') }
`
