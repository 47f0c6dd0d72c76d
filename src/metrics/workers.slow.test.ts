import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canConnect } from '../testing/port.ts'
import { spawnCli } from '../testing/process.ts'
import { NEEDS_REDIS, startRedis } from '../testing/redis.ts'
import { requests, scrape } from '../testing/scrape.ts'
import { scratchFolder } from '../testing/start-app.ts'

async function twoFreePorts(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 2) {
    if (!(await canConnect(port)) && !(await canConnect(port + 1))) return port
  }
}

test('each worker has its own metrics port', NEEDS_REDIS, async (t) => {
  const redis = await startRedis(t)
  const port = await twoFreePorts()
  const settings = {
    DATABASE_URL: `sqlite:${scratchFolder(t)}/test.db`,
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
    PORT: '0',
    METRICS_PORT: String(port),
    LOG_LEVEL: 'warn',
  }
  const address = await spawnCli(t, ['serve', '--workers', '2'], settings).serving
  for (let count = 0; count < 20; count += 1) {
    await fetch(`${address}/livez`, { headers: { connection: 'close' } })
  }
  const counts = []
  for (const place of [0, 1]) {
    const seen = await scrape(`http://127.0.0.1:${port + place}/metrics`)
    counts.push(seen.get(requests('other', 200, 'none')) ?? 0)
  }
  assert.equal((counts[0] ?? 0) + (counts[1] ?? 0), 20, String(counts))
})
