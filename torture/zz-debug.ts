import { openRedisModel } from './simulation/redis-model.ts'
import { runLimiter } from './simulation/run-limiter.ts'
import { EPOCH_MS } from './simulation/server.ts'
const seed = Number(process.argv[2]); const from = Number(process.argv[3]); const to = Number(process.argv[4])
const model = await openRedisModel()
const run0 = model.run
const rel = (t: unknown) => typeof t === 'number' || /^\d{13,}$/.test(String(t)) ? Number(t) - EPOCH_MS : t
const wrapped = (now: number, script: string, keys: string[], args: (string|number)[]) => {
  const a = run0(now, script, keys, args)
  const at = now - EPOCH_MS
  if (at >= from && at <= to) {
    if (keys[0]?.includes('{processes}')) { console.log(at, 'BEAT', args[0], args[1], 'ep', String(args[7]).replace(String(EPOCH_MS).slice(0,4),''), 'rep', args[8], '->', a.slice(1).join(' | ')) }
    else console.log(at, script.includes("ARGV[4] == 'give'") ? 'SETTLE' : 'TAKE', args.map(rel).join(','), '->', a.map((x) => (Number(x) > 1e12 ? Number(x) - EPOCH_MS : x)).join(','))
  }
  return a
}
model.run = wrapped
const h = await runLimiter(model, seed, {})
for (const t of h.taken) if (t.outcome === 'allowed' && !t.lost && t.askedAt >= from && t.answeredAt <= to) console.log('ALLOWED', t.askedAt, t.answeredAt, 'left', t.remaining, 'reset', t.reset*1000-EPOCH_MS)
console.log([...h.minutes.values()].filter(m => m.start > from - 70000 && m.start < to), h.limits)
