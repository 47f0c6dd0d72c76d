import assert from 'node:assert/strict'
import { mkdirSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'

const REX = { name: 'Rex', categoryId: 1 }

test('serve on a symbolic link to a served file or its folder is refused like the file itself', async (t) => {
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

test('serve on a symbolic link to a missing file: creates the file; commands read its WAL', async (t) => {
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
