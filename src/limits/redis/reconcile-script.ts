import { OWN } from './lease.ts'
import { WINDOWS } from './take-script.ts'

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
