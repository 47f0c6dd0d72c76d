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
