/**
 * Which processes share the counters, and whether the store still has what they put there. All keys in one
 * slot:
 *
 *   members    process → time of its latest sign of life
 *   shares     process → the part of every minute's limit that it may take while it is away
 *   gone       processes that will never serve again, kept while a promise to them may stand somewhere
 *   epoch      run: of the server; number: of its memory; since; open: whether requests may be charged
 *   awaited    processes that have yet to say what they know before the epoch is open
 *
 * ARGV: process, kind (view, alive, bye), its part, when it was sent by the clock of the store ('' when not
 * known), time after which one is silent, after which it is gone, time in which a new epoch gathers, epoch
 * it belongs to ('' when just started), epoch it has reported to, processes it knows, prefix of its place.
 */
export const BEAT = `
local members, shares, gone, epoch, awaited = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local id, kind, place = ARGV[1], ARGV[2], ARGV[11]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local fence = now - tonumber(ARGV[6])

local function leave(one)
  redis.call('ZREM', members, one)
  redis.call('HDEL', shares, one)
  redis.call('SREM', awaited, one)
  redis.call('ZADD', gone, now, one)
end

-- A server that was started again has an older memory, or none.
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local known = redis.call('HMGET', epoch, 'run', 'number', 'since', 'open')
local number, since, open = known[2], tonumber(known[3] or now), known[4] == '1'
if known[1] ~= run then
  number, since, open = now .. id, now, false
  redis.call('HSET', epoch, 'run', run, 'number', number, 'since', now, 'open', 0)
  for _, one in ipairs(redis.call('ZRANGE', members, 0, -1)) do redis.call('SADD', awaited, one) end
end

for _, one in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. fence)) do leave(one) end
-- Whoever starts in the place of another shows that the other is dead.
if ARGV[8] == '' and place ~= '' then
  for _, list in ipairs({ redis.call('ZRANGE', members, 0, -1), redis.call('SMEMBERS', awaited) }) do
    for _, one in ipairs(list) do
      if one ~= id and string.sub(one, 1, #place) == place then leave(one) end
    end
  end
end
if kind == 'bye' then leave(id) end
local amGone = redis.call('ZSCORE', gone, id)
-- A sign of life that comes a second late, out of a buffer, is none.
if kind == 'alive' and not amGone and (ARGV[4] == '' or now - tonumber(ARGV[4]) <= 1000) then
  redis.call('ZADD', members, now, id)
  redis.call('HSET', shares, id, ARGV[3])
end

if not open then
  if ARGV[9] == number or ARGV[8] == number then
    redis.call('SREM', awaited, id)
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

redis.call('ZREMRANGEBYSCORE', gone, '-inf', now - 90000000)
for _, one in ipairs(KEYS) do redis.call('PEXPIRE', one, 90000000) end

local silent = {}
for _, one in ipairs(redis.call('ZRANGEBYSCORE', members, '-inf', '(' .. now - tonumber(ARGV[5]))) do
  if one ~= id then silent[#silent + 1] = redis.call('HGET', shares, one) or '1' end
end
return { now, number, open and 1 or 0, amGone and 1 or 0,
  table.concat(redis.call('ZRANGE', members, 0, -1), ','), table.concat(silent, ',') }
`
