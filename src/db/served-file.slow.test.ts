import assert from 'node:assert/strict'
import { linkSync, renameSync, rmSync } from 'node:fs'
import http from 'node:http'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { send } from '../testing/client.ts'
import { doJobs } from '../testing/jobs.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'
import { fileOf } from './store-url.ts'

const REX = { name: 'Rex', categoryId: 1 }

/** Starts the service as a separate process. */
async function serveIn(t: TestContext) {
  const folder = scratchFolder(t)
  const file = join(folder, 'data', 'pets.db')
  const settings = { DATABASE_URL: `sqlite:${file}`, PORT: '0' }
  const running = spawnCli(t, ['serve'], settings)
  const address = await running.serving
  const key = /adopt_live_\w+/.exec(running.output.stdout)?.[0] ?? ''
  return { folder, file, settings, address, key, ...running }
}

/** Waits up to two seconds for a condition. */
async function within2Seconds(isSo: () => boolean, what: string): Promise<void> {
  const until = performance.now() + 2_000
  while (!isSo()) {
    assert.ok(performance.now() < until, what)
    await new Promise(setImmediate)
  }
}

test('a hard link to a served file: serve and commands refuse the link with a one-line message', async (t) => {
  const { folder, file, settings } = await serveIn(t)
  const other = join(folder, 'hard.db')
  linkSync(file, other)

  for (const name of [other, file]) {
    for (const args of [['serve'], ['keys', 'list'], ['backup', join(folder, 'copy.db')], ['export']]) {
      const { code, stderr } = await runCli(t, args, { ...settings, DATABASE_URL: `sqlite:${name}` })
      if (name === file && args[0] === 'serve') assert.match(stderr, /hard links|already serves/)
      else assert.match(stderr, /^adoptable: [^\n]*has 2 names \(hard links\)[^\n]+\n$/, `${args} ${stderr}`)
      assert.equal(code, 1, name)
    }
  }
  rmSync(other)
  assert.equal((await runCli(t, ['keys', 'list'], settings)).code, 0)
})

test('a served file replaced by another file: 503 without touching the new file; a restart serves the new file', async (t) => {
  const { address, key, file, child, exited, settings } = await serveIn(t)
  const agent = new http.Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const add = (at: string) => send(agent, `${at}/v1/pets`, { method: 'POST', headers, body: REX })
  const copy = join(dirname(file), 'copy.db')
  assert.equal((await runCli(t, ['backup', copy], settings)).code, 0)
  assert.equal((await add(address)).status, 201)

  renameSync(copy, file)
  assert.equal((await add(address)).status, 503)
  child.kill('SIGKILL')
  await exited
  for (const end of ['-wal', '-shm']) rmSync(file + end, { force: true })
  const again = await spawnCli(t, ['serve'], settings).serving
  assert.equal((await add(again)).body.id, 1)
})

for (const end of ['', '-wal']) {
  test(`a served file${end} that is moved away: 503 within a second; the file is served again when it is back`, async (t) => {
    const app = await startApp(t)
    const file = fileOf(app.databaseUrl) + end
    const list = async (): Promise<number> => (await app.get('/v1/pets')).status
    const isLogged = (text: string) => app.log.some((line) => line.includes(`"msg":"${text}`))
    await app.post('/v1/pets', REX)
    assert.equal(await list(), 200)
    // Finishes all jobs, because a running one would report the loss first.
    await doJobs(app.service.context)

    renameSync(file, `${file}.away`)
    const refused = await app.post('/v1/pets', REX)
    assert.equal(refused.status, 503, 'a change was not refused immediately')
    assert.ok(refused.headers['x-ratelimit-remaining'])
    await within2Seconds(() => isLogged('the file of the store is lost'), 'the loss was not logged')
    assert.equal(await list(), 503)
    assert.equal((await app.get('/readyz')).status, 503)
    assert.equal((await app.get('/livez')).status, 200)

    renameSync(`${file}.away`, file)
    await within2Seconds(() => isLogged('the database is available again'), 'the recovery was not logged')
    assert.equal(await list(), 200)
    assert.equal((await app.post('/v1/pets', REX)).body.id, 2)
    assert.equal((await app.get('/readyz')).status, 200)
  })
}
