import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openToWrite } from '../db/open-sqlite.ts'
import { copies, createStore } from '../testing/backups.ts'
import { runCli } from '../testing/process.ts'
import { scratchFolder, startApp } from '../testing/start-app.ts'

test('removed data is in no byte of the store or of a backup, not even in free pages', async (t) => {
  const folder = scratchFolder(t)
  const [store, file] = [join(folder, 'test.db'), join(folder, 'copy.db')]
  const app = await startApp(t, { databaseUrl: `sqlite:${store}` })
  for (const name of ['Removed here', 'Given free'])
    assert.equal((await app.post('/v1/pets', { name, categoryId: 1 })).status, 201)
  await app.request('/v1/pets/1', { method: 'DELETE' })
  // The service may still be updating its search index.
  const other = new DatabaseSync(store, { timeout: 5_000 })
  other.exec('pragma secure_delete = off; delete from pet where id = 2')
  other.close()

  assert.equal((await runCli(t, ['backup', file], { DATABASE_URL: `sqlite:${store}` })).code, 0)

  await app.stop()
  const holds = (path: string) =>
    ['Removed here', 'Given free'].map((name) => readFileSync(path).includes(name))
  assert.deepEqual(holds(store), [false, true])
  assert.deepEqual(holds(file), [false, false])
})

test('backup --json: prints file, size and number of animals', async (t) => {
  const folder = scratchFolder(t)
  const file = join(folder, 'copy.db')
  const { code, stdout, stderr } = await runCli(t, ['backup', file, '--json'], await createStore(t, folder))
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(JSON.parse(stdout), { file, bytes: statSync(file).size, animals: 0 })
})

test('backup to an existing or impossible file: prints one line, exits with code 1 and leaves no file', async (t) => {
  const folder = scratchFolder(t)
  const settings = await createStore(t, folder)
  const store = join(folder, 'test.db')
  writeFileSync(join(folder, 'kept.db'), 'kept')
  writeFileSync(join(folder, 'log.db-wal'), 'of another one')
  symlinkSync('nowhere', join(folder, 'link.db'))
  mkdirSync(join(folder, 'folder'))
  writeFileSync(join(folder, 'text.db'), 'this is no database, however long it may be\n'.repeat(200))
  const there = copies(folder)

  const wrong: [string, RegExp, Record<string, string>?][] = [
    [join(folder, 'kept.db'), /kept\.db already exists and is not overwritten/],
    [store, /test\.db already exists/],
    [join(folder, 'log.db'), /log\.db-wal already exists/],
    [join(folder, 'link.db'), /link\.db already exists/],
    [join(folder, 'folder'), /folder is a folder; name a file in it/],
    [join(folder, 'none', 'copy.db'), /there is no folder \S+none/],
    [join(folder, 'kept.db', 'copy.db'), /ENOTDIR/],
    [
      join(folder, 'copy.db'),
      /there is no store at \S+none\.db/,
      { DATABASE_URL: `sqlite:${folder}/none.db` },
    ],
    [
      join(folder, 'copy.db'),
      /text\.db was not backed up: .*not a database/,
      { DATABASE_URL: `sqlite:${folder}/text.db` },
    ],
  ]
  const refuse = async ([file, expected, other]: (typeof wrong)[number]): Promise<void> => {
    const { code, stdout, stderr } = await runCli(t, ['backup', file], other ?? settings)
    assert.deepEqual([code, stdout], [1, ''], file)
    assert.match(stderr, /^adoptable: [^\n]+\n$/)
    assert.match(stderr, expected)
  }
  await Promise.all(wrong.map(refuse))
  assert.deepEqual(copies(folder), there)
  assert.equal(readFileSync(join(folder, 'kept.db'), 'utf8'), 'kept')
})

test('backup of a damaged store: is refused, and prints the reason', async (t) => {
  const folder = scratchFolder(t)
  const settings = await createStore(t, folder)
  const { database } = await openToWrite(join(folder, 'test.db'))
  // A row that violates the constraints of its table, as a damaged page may contain.
  database.exec(`
    pragma ignore_check_constraints = on;
    insert into pet (name, category_id, status, created_at, updated_at) values ('Rex', 1, 'lost', 0, 0)`)
  database.close()

  const { code, stderr } = await runCli(t, ['backup', join(folder, 'copy.db')], settings)

  assert.equal(code, 1)
  assert.match(
    stderr,
    /^adoptable: \S+test\.db was not backed up: the copy is damaged, and so is the store: .*pet\n$/,
  )
  assert.deepEqual(copies(folder), [])
})

test('backup without a file, with two files or of PostgreSQL: prints one line and exits with code 2', async (t) => {
  const postgres = { DATABASE_URL: 'postgres://adoptable:secret@127.0.0.1:1/adoptable' }

  for (const args of [['backup'], ['backup', 'a', 'b'], ['backup', ''], ['backup', 'folder/']]) {
    const { code, stdout, stderr } = await runCli(t, args, {})
    assert.deepEqual([code, stdout], [2, ''], args.join(' '))
    assert.match(stderr, /^[^\n]+\n$/)
  }
  const { code, stderr } = await runCli(t, ['backup', 'copy.db'], postgres)
  assert.equal(code, 2)
  assert.match(stderr, /^adoptable: [^\n]*pg_dump[^\n]*\n$/)
  assert.ok(!stderr.includes('secret'))
})
