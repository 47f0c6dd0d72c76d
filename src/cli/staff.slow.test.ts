import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openForCommand } from '../db/open-database.ts'
import { hashToken } from '../http/token.ts'
import { runCli, spawnCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'

/** The output of a start, and the links in the store afterwards. */
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

test('serve: only the first start prints a link for the first account', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const { address, stdout, links } = await startOn(t, settings)
  const [, link = '', token = ''] = /^ {2}(\S+\/console\/join\/([\w-]{43}))$/m.exec(stdout) ?? []
  assert.ok(link.startsWith(`${address}/console/`))
  assert.ok(stdout.includes(` ${address}/. `), 'the address of the gallery')
  assert.match(stdout, /^ {2}adopt_live_/m)
  assert.deepEqual(links, [{ hash: hashToken(token), kind: 'first' }])

  const again = await startOn(t, settings)
  assert.match(again.stdout, /^adoptable serves \S+\/v1; its reference is at \S+\/docs\n$/)
  assert.deepEqual(again.links, links)
})

test('serve with BASE_URL: the link of the first start uses it', async (t) => {
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

test('serve on a store with an admin key: prints no link, because output may be logged', async (t) => {
  const settings = { DATABASE_URL: `sqlite:${join(scratchFolder(t), 'test.db')}`, PORT: '0' }
  const create = ['keys', 'create', '--name', 'a', '--plan', 'free', '--access', 'admin', '--init']
  assert.equal((await runCli(t, create, settings)).code, 0)
  const { stdout, links } = await startOn(t, settings)
  assert.match(stdout, /^adoptable serves [^\n]+\n$/)
  assert.deepEqual(links, [])
})
