import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openForCommand } from '../db/open-database.ts'
import { hashToken } from '../http/token.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'

/** What a start prints, and the links that the store then knows. */
async function startOn(t: TestContext, settings: Record<string, string>) {
  const { child, serving, exited } = spawnCli(t, ['serve'], settings)
  const address = await serving
  child.kill('SIGTERM')
  const { stdout } = await exited
  const store = await openForCommand(settings.DATABASE_URL ?? '')
  const links = await store.db.selectFrom('staff_link').select(['hash', 'kind']).execute()
  await store.close()
  return { address, stdout, links: links.map((link) => ({ ...link })) }
}

test('the first start prints a link that makes the first account beside the first key, and no later one', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const { address, stdout, links } = await startOn(t, settings)
  const [, link = '', token = ''] = /^ {2}(\S+\/console\/join\/([\w-]{43}))$/m.exec(stdout) ?? []
  assert.ok(link.startsWith(`${address}/console/`))
  assert.ok(stdout.includes(` ${address}/. `), 'where everybody sees the animals')
  assert.match(stdout, /^ {2}adopt_live_/m)
  assert.deepEqual(links, [{ hash: hashToken(token), kind: 'first' }])

  const again = await startOn(t, settings)
  assert.match(again.stdout, /^adoptable serves \S+\/v1, its reference is at \S+\/docs\n$/)
  assert.deepEqual(again.links, links)
})

test('the link of a first start has the public address where one is set', async (t) => {
  const settings = {
    DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`,
    BASE_URL: 'https://pets.example/v1',
    PORT: '0',
  }
  assert.match(
    (await startOn(t, settings)).stdout,
    /^ {2}https:\/\/pets\.example\/console\/join\/[\w-]{43}$/m,
  )
})

test('a start on a store whose admin key was made before prints no link: what it prints may be kept', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const create = ['keys', 'create', '--name', 'a', '--plan', 'free', '--access', 'admin', '--init']
  assert.equal((await runCli(t, create, settings)).code, 0)
  const { stdout, links } = await startOn(t, settings)
  assert.match(stdout, /^adoptable serves [^\n]+\n$/)
  assert.deepEqual(links, [])
})
