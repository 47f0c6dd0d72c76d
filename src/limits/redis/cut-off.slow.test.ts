import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../../testing/port.ts'
import { NEEDS_REDIS, startRedis, until } from '../../testing/redis.ts'
import { makeKey, scratchFolder, startApp } from '../../testing/start-app.ts'

const USERS = ['one', 'two', 'three']
const LIMIT = 100

test(
  'a process cut off from Redis keeps its lease while another starts on its host and port',
  NEEDS_REDIS,
  async (t) => {
    // Each process has its own Redis user, so one can be cut off. The counters are the same.
    const accounts = USERS.flatMap((user) => ['--user', user, 'on', '>secret', '~*', '&*', '+@all'])
    const redis = await startRedis(t, ...accounts)
    const databaseUrl = `sqlite:${scratchFolder(t)}/test.db`
    const key = await makeKey(databaseUrl, { plan: 'enterprise', limits: { perMinute: LIMIT, perDay: 1e6 } })
    const port = String(await freePort())
    const startAs = (user: string, PORT: string) =>
      startApp(t, {
        databaseUrl,
        settings: { PORT, REDIS_URL: `redis://${user}:secret@127.0.0.1:${redis.port}` },
      })
    const [cut, other] = [await startAs('one', port), await startAs('two', '0')]
    let served = 0
    const ask = async ({ get }: typeof cut, count: number): Promise<number> => {
      const before = served
      for (let sent = 0; sent < count; sent += 1) {
        const { status } = await get('/v1/pets', { authorization: `Bearer ${key}` })
        if (status === 200) served += 1
      }
      return served - before
    }
    const isCut = () => cut.log.some((line) => line.includes('the shared counters are lost'))
    await ask(cut, 1)
    await ask(other, 1)

    await redis.client.call('ACL', 'SETUSER', 'one', 'off')
    await redis.client.call('CLIENT', 'KILL', 'USER', 'one')
    await until(isCut)
    // The new process ends immediately because the port is in use, but before that it joins the other processes.
    await assert.rejects(startAs('three', port), { code: 'EADDRINUSE' })

    const [elsewhere, alone] = [await ask(other, LIMIT + 20), await ask(cut, LIMIT)]
    assert.ok(alone > 10, `${alone} were served offline`)
    assert.ok(served <= LIMIT, `${served} of ${LIMIT} were served, ${elsewhere} elsewhere`)
  },
)
