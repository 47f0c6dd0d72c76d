import assert from 'node:assert/strict'
import { mkdirSync, renameSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { doJobs } from '../testing/jobs.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'
import { fileOf } from './store-url.ts'

const REX = { name: 'Rex', categoryId: 1 }

/** Asks again, for two seconds at most, until it is so. */
async function within2Seconds(isSo: () => boolean, what: string): Promise<void> {
  const until = performance.now() + 2_000
  while (!isSo()) {
    assert.ok(performance.now() < until, what)
    await new Promise(setImmediate)
  }
}

test('a symbolic link to a served file, its folder or itself, is refused as the file is', async (t) => {
  const folder = scratchFolder(t)
  const file = join(folder, 'data', 'pets.db')
  await startApp(t, { databaseUrl: `sqlite:${file}` })
  symlinkSync(file, join(folder, 'link.db'))
  symlinkSync(join(folder, 'link.db'), join(folder, 'link-to-link.db'))
  symlinkSync(dirname(file), join(folder, 'folder'))

  for (const name of ['link.db', 'link-to-link.db', 'folder/pets.db']) {
    const settings = { DATABASE_URL: `sqlite:${join(folder, name)}`, PORT: '0' }
    const { code, stderr } = await runCli(t, ['serve'], settings)
    assert.equal(code, 1, name)
    assert.match(stderr, /^adoptable: another adoptable already serves \S+data\/pets\.db; [^\n]+\n$/, name)
  }
})

test('a symbolic link serves the file, also one that is not there yet, and commands read its log', async (t) => {
  const folder = scratchFolder(t)
  mkdirSync(join(folder, 'data'))
  symlinkSync(join(folder, 'data', 'pets.db'), join(folder, 'link.db'))
  const databaseUrl = `sqlite:${join(folder, 'link.db')}`
  const app = await startApp(t, { databaseUrl })
  await app.post('/v1/pets', REX)

  assert.ok(statSync(join(folder, 'data', 'pets.db-wal')).size > 0)
  const { code, stdout } = await runCli(t, ['backup', join(folder, 'copy.db')], { DATABASE_URL: databaseUrl })
  assert.equal(code, 0)
  assert.match(stdout, /animals: 1/)
})

for (const end of ['', '-wal']) {
  test(`a file${end} that is moved away is a 503 within a second, and served again when it is back`, async (t) => {
    const app = await startApp(t)
    const file = fileOf(app.databaseUrl) + end
    const list = async (): Promise<number> => (await app.get('/v1/pets')).status
    const told = (text: string) => app.log.some((line) => line.includes(`"msg":"${text}`))
    await app.post('/v1/pets', REX)
    assert.equal(await list(), 200)
    // None is at work then, that would tell of the loss before the service looks.
    await doJobs(app.service.context)

    renameSync(file, `${file}.away`)
    const refused = await app.post('/v1/pets', REX)
    assert.equal(refused.status, 503, 'a change is refused at once')
    assert.ok(refused.headers['x-ratelimit-remaining'])
    await within2Seconds(() => told('nothing is served'), 'nobody was told')
    assert.equal(await list(), 503)
    assert.equal((await app.get('/readyz')).status, 503)
    assert.equal((await app.get('/livez')).status, 200)

    renameSync(`${file}.away`, file)
    await within2Seconds(() => told('the database is there again'), 'not served again')
    assert.equal(await list(), 200)
    assert.equal((await app.post('/v1/pets', REX)).body.id, 2)
    assert.equal((await app.get('/readyz')).status, 200)
  })
}
