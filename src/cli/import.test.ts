import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { cleanup } from '../testing/cleanup.ts'
import { asNextRelease } from '../testing/next-release.ts'
import { runOnServer, scratchDatabase, urlOf } from '../testing/postgres.ts'
import { runCli } from '../testing/process.ts'
import { makeKey, scratchFolder, startApp } from '../testing/start-app.ts'
import { formatProgress, formatSummary } from './import-report.ts'

/** A folder with files in it, and the settings of a store there. */
function folderWith(t: TestContext, files: Record<string, string | Buffer>) {
  const folder = scratchFolder(t)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const path = (name: string): string => join(folder, name)
  return { folder, path, settings: { DATABASE_URL: `sqlite:${path('test.db')}` } }
}

test('sample, import and export while a service runs: the animals stay the same, and are visible immediately', async (t) => {
  const { folder, path } = folderWith(t, {})
  const app = await startApp(t, { databaseUrl: `sqlite:${path('test.db')}` })
  const settings = { DATABASE_URL: app.databaseUrl }
  const { etag } = (await app.get('/v1/pets')).headers
  const sample = await runCli(t, ['sample', '--animals', '2100'], {})
  writeFileSync(path('sample.ndjson'), sample.stdout)

  const { code, stdout, stderr } = await runCli(t, ['import', path('sample.ndjson')], settings)

  assert.deepEqual([code, stderr], [0, ''])
  assert.match(
    stdout,
    /^added 2,100, updated 0, unchanged 0, refused 0 \(2,100 lines in [\d.]+ s, [\d,]+\/s\)\n$/,
  )
  const page = await app.get('/v1/pets?limit=1', { 'if-none-match': String(etag) })
  assert.deepEqual([page.status, page.body[0].id], [200, 2_100])

  assert.equal((await runCli(t, ['export', path('all.CSV')], settings)).code, 0)
  assert.equal(statSync(path('all.CSV')).mode & 0o777, 0o600)
  assert.match(
    readFileSync(path('all.CSV'), 'utf8'),
    /^id,name,category,status,externalId,organization,species,[^\r]*\r\n1,Babo,Dog,available,/,
  )
  const lines = (await runCli(t, ['export'], settings)).stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => {
      // The age follows from the birth date, the only information in the sample.
      const { id, age, ...animal } = JSON.parse(line)
      return animal
    }),
    sample.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
  assert.ok(!readdirSync(folder).some((name) => name.endsWith('.part')))
})

test('import with refused lines: prints 100, counts the rest, writes all to --rejects, and exits with code 1', async (t) => {
  const bad = '{"category":"Dra\\u001bgon"}\n'.repeat(150)
  const { path, settings } = folderWith(t, { 'pets.jsonl': `{"name":"Rex","category":"dog"}\n${bad}` })

  const args = ['import', path('pets.jsonl'), '--init', '--rejects', path('rejects'), '--json']
  const { code, stdout, stderr } = await runCli(t, args, settings)

  assert.equal(code, 1)
  const { seconds, ...figures } = JSON.parse(stdout)
  assert.ok(seconds > 0)
  assert.deepEqual(figures, {
    added: 1,
    updated: 0,
    unchanged: 0,
    refused: 150,
    leftOut: {},
    dryRun: false,
    complete: true,
  })
  const [made, ...shown] = stderr.trimEnd().split('\n')
  assert.equal(made, `created the store ${path('test.db')}`)
  assert.equal(shown.length, 102)
  assert.match(
    shown[0] ?? '',
    /^line 2: name: This is required\. No category is named "Dra\?gon"; choose one with --category/,
  )
  assert.equal(shown[100], 'and 50 more lines; use --rejects FILE to see all')
  assert.equal(shown[101], 'adoptable: 150 of 151 lines were refused')
  const rejects = readFileSync(path('rejects'), 'utf8').trimEnd().split('\n')
  assert.equal(rejects.length, 150)
  assert.deepEqual(Object.keys(JSON.parse(rejects[149] ?? '')), ['line', 'reason'])
  assert.equal(statSync(path('rejects')).mode & 0o777, 0o600)
})

test('import of the same file again, without and with ids: changes nothing', async (t) => {
  const csv = 'no,name,category\nA1,Rex,Dog\nA2,Max,Cat\n'
  const { path, settings } = folderWith(t, { 'pets.csv': csv, 'other.csv': csv.replace('Max', 'Maxi') })
  await makeKey(settings.DATABASE_URL)
  const added = async (...args: string[]) => {
    const { code, stdout, stderr } = await runCli(t, ['import', ...args, '--json'], settings)
    return [code, stdout && JSON.parse(stdout).added, stderr]
  }
  assert.deepEqual(await added(path('pets.csv')), [0, 2, ''])
  assert.deepEqual(await added(path('pets.csv')), [0, 0, ''])
  const update = [path('pets.csv'), '--update', 'no', '--key', '1']
  assert.deepEqual(
    await added(...update),
    [0, 0, ''],
    'the lines are recognized, and their ids are remembered',
  )
  assert.deepEqual(await added(path('pets.csv'), '--again'), [0, 2, ''])
  assert.deepEqual(await added(path('other.csv'), '--update', 'no', '--key', '1'), [0, 2, ''])
  assert.deepEqual(await added(path('other.csv'), '--update', 'no', '--key', '1'), [0, 0, ''])

  await runCli(t, ['export', path('all.ndjson')], settings)
  assert.match((await added(path('all.ndjson')))[2], /the file has ids of this store.+ --update id/)
  assert.equal(
    JSON.parse((await runCli(t, ['export'], settings)).stdout.trimEnd().split('\n').at(-1) ?? '').id,
    6,
  )
})

test('import, export and sample with wrong arguments: print one line; exit with 2 for usage, 1 if something is missing', async (t) => {
  const { path, settings, folder } = folderWith(t, { 'pets.csv': 'name,category\n', 'pets.json': '{}' })
  const csv = path('pets.csv')
  const wrong: [string[], number, RegExp][] = [
    [['import', path('pets.json')], 2, /--format is ndjson or csv here, not json/],
    [['import', csv, '--from', 'rescuegroups'], 2, /not csv: import a CSV without --from/],
    [['import', csv, '--update', 'id'], 2, /--update needs --key ID/],
    [['import', csv, '--currency', 'ZZZ'], 2, /a currency code/],
    [
      ['import', 'https://a:b@x.example/', '--watch', '--update', 'id', '--key', '1'],
      2,
      /not contain a user name/,
    ],
    [['import', '-', '--update', 'id', '--key', '1'], 2, /--update needs --source NAME/],
    [['import', csv, '--key', '0'], 2, /id of a key/],
    [['sample', '--animals', '0'], 2, /whole number/],
    [['import', csv, '--key', '7'], 1, /there is no valid key 7/],
    [['import', csv, '--rejects', csv], 1, /pets\.csv already exists/],
    [['import', folder, '--format', 'csv'], 1, /\S+ is a folder: name a file in it/],
    [['export', csv], 1, /pets\.csv already exists/],
    [['export', path('all.xlsx')], 2, /\.xlsx is not an export format: .+ --format/],
  ]
  const refuse = async ([args, expected, message]: (typeof wrong)[number]): Promise<void> => {
    const { code, stdout, stderr } = await runCli(t, args, settings)
    assert.deepEqual([code, stdout], [expected, ''], args.join(' '))
    assert.match(stderr, /^[^\n]+\n$/)
    assert.match(stderr, message)
  }
  await refuse([['export'], 1, /there is no store at \S+test\.db/])
  assert.ok(!readdirSync(folder).includes('test.db'))
  await makeKey(settings.DATABASE_URL)
  await Promise.all(wrong.map(refuse))
})

test('import looks up the places of animals before it ends', async (t) => {
  const rows = 'name,category,place.city,place.country\nRex,Dog,Utrecht,NL\n'
  const { path, settings } = folderWith(t, { 'pets.csv': rows })
  const { code, stderr } = await runCli(t, ['import', '--init', path('pets.csv')], settings)
  assert.deepEqual([code, stderr.replace(/\S+test\.db/, 'test.db')], [0, 'created the store test.db\n'])
  const { place } = JSON.parse((await runCli(t, ['export'], settings)).stdout)
  assert.deepEqual(place, { city: 'Utrecht', country: 'NL', latitude: 52.0908, longitude: 5.1222 })
})

test('import that stops early: reports what was imported', async (t) => {
  const good = Array.from({ length: 2_100 }, (_, i) => `Rex ${i},Dog\n`).join('')
  const endless = `name,category\n${good},Dog\n"open,Dog\n${'Max,Dog\n'.repeat(140_000)}`
  const { path, settings } = folderWith(t, { 'pets.csv': endless })
  const args = ['import', path('pets.csv'), '--init', '--rejects', path('rejects')]
  const reason =
    'line 2103: the record that begins there is longer than 1048576 bytes; look for a quote that is'
  const places = 'never closed; the import stopped early, after 2,101 lines'

  const first = await runCli(t, [...args, '--json'], settings)

  const { seconds, ...figures } = JSON.parse(first.stdout)
  const counts = { added: 2_100, updated: 0, unchanged: 0, refused: 1, leftOut: {} }
  assert.deepEqual([first.code, figures], [1, { ...counts, dryRun: false, complete: false }])
  const [made, refused, last] = first.stderr.trimEnd().split('\n')
  assert.equal(made, `created the store ${path('test.db')}`)
  assert.match(refused ?? '', /^line 2102: name: This is required/)
  assert.equal(last, `adoptable: ${reason} ${places}`)
  assert.equal(JSON.parse(readFileSync(path('rejects'), 'utf8')).line, 2_102)
  const dry = await runCli(t, ['import', path('pets.csv'), '--again', '--dry-run'], settings)
  assert.match(dry.stdout, /^stopped early: dry run, nothing was written: added 2,100, /)
  assert.equal(dry.stderr.trimEnd().split('\n').at(-1), `adoptable: ${reason} ${places}`)
})

test('import --rejects that cannot start: leaves no rejects file', async (t) => {
  const { path, settings } = folderWith(t, { 'pets.csv': 'name,category\nRex,Dog\n,Dog\n' })
  const args = [path('pets.csv'), '--init', '--rejects', path('rejects')]
  for (const wrong of [
    ['import', path('none.csv'), '--rejects', path('rejects')],
    ['import', ...args, '--category', 'Dragon'],
    ['import', ...args, '--key', '7'],
  ]) {
    assert.equal((await runCli(t, wrong, settings)).code, 1)
    assert.equal(existsSync(path('rejects')), false, wrong.join(' '))
  }

  const { stdout } = await runCli(t, ['import', ...args], settings)

  assert.match(stdout, /^added 1, .*refused 1 /)
  assert.equal(JSON.parse(readFileSync(path('rejects'), 'utf8')).line, 3)
})

test('import --dry-run: creates no store and does not migrate an older one', async (t) => {
  const { folder, path, settings } = folderWith(t, { 'pets.csv': 'name,category\nRex,Dog\n' })
  const args = ['import', path('pets.csv'), '--dry-run']
  const none = await runCli(t, args, settings)
  assert.deepEqual([none.code, none.stdout], [1, ''])
  assert.match(
    none.stderr,
    /^adoptable: there is no store at \S+test\.db; start the service once, or set DATABASE_URL [^\n]+\n$/,
  )
  assert.deepEqual(readdirSync(folder), ['pets.csv'])

  await makeKey(settings.DATABASE_URL)
  assert.equal((await runCli(t, args, settings)).code, 0)
  asNextRelease(t)
  const before = readFileSync(path('test.db'))
  const older = await runCli(t, args, settings)

  assert.deepEqual([older.code, older.stdout], [1, ''])
  assert.match(
    older.stderr,
    /the store at \S+ belongs to an older release: back it up, then start the service once/,
  )
  assert.deepEqual(readFileSync(path('test.db')), before)
  assert.deepEqual(readdirSync(folder).sort(), ['pets.csv', 'test.db'])
})

test('import --dry-run on PostgreSQL: creates no tables', async (t) => {
  const { path } = folderWith(t, { 'pets.csv': 'name,category\nRex,Dog\n' })
  const database = `adoptable_empty_${process.pid}`
  await runOnServer(`create database ${database}`)
  cleanup(t).defer(() => runOnServer(`drop database ${database} with (force)`))
  const settings = { DATABASE_URL: urlOf(database) }
  const args = ['import', path('pets.csv'), '--dry-run']

  for (const _ of ['first', 'second']) {
    const { code, stderr } = await runCli(t, args, settings)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /there is no store in postgres:\/\/[^@\s]+\/adoptable_empty_\d+; start the service once/,
    )
  }
  const filled = { DATABASE_URL: await scratchDatabase(t) }
  assert.match((await runCli(t, args, filled)).stdout, /^dry run, nothing was written: added 1,/)
})

test('import of an export into its own store: is refused', async (t) => {
  const { path, settings } = folderWith(t, { 'pets.csv': 'name,category\nRex,Dog\nMax,Cat\nBella,Cat\n' })
  await makeKey(settings.DATABASE_URL)
  await runCli(t, ['import', path('pets.csv')], settings)
  await runCli(t, ['export', path('all.csv')], settings)
  writeFileSync(path('edited.csv'), readFileSync(path('all.csv'), 'utf8').replace('Rex', 'Rexi'))
  const update = ['--update', 'id', '--key', '1', '--json']

  const { code, stdout, stderr } = await runCli(t, ['import', path('edited.csv'), ...update], settings)

  assert.deepEqual([code, stdout], [1, ''])
  assert.match(stderr, /has ids of this store.* another system, use --update id --source NAME\n$/)
  const other = ['import', path('edited.csv'), ...update, '--source', 'branch']
  assert.equal(JSON.parse((await runCli(t, other, settings)).stdout).added, 3)
  const elsewhere = { DATABASE_URL: `sqlite:${path('other.db')}` }
  await makeKey(elsewhere.DATABASE_URL)
  const copies = [path('all.csv'), ...update]
  assert.equal(JSON.parse((await runCli(t, ['import', ...copies], elsewhere)).stdout).added, 3)
  assert.equal(JSON.parse((await runCli(t, ['import', ...copies], elsewhere)).stdout).unchanged, 3)
})

test('import of a file of the wrong kind: is refused immediately with advice', async (t) => {
  const csv = 'name,category\nRex,Dog\n'
  const wrong: [name: string, content: string | Buffer, message: RegExp][] = [
    ['c.txt', csv, /the file looks like CSV, but is read as ndjson: use --format csv/],
    [
      'd.csv',
      '\uFEFF{"name":"Rex"}\n',
      /the file looks like NDJSON, but is read as csv: use --format ndjson/,
    ],
    ['e.csv.gz', gzipSync(csv), /the file is compressed with gzip: unpack it first/],
    [
      'h.csv',
      Buffer.from('<?xml version="1.0"?>'),
      /the file is a web page or XML: save or export it as CSV/,
    ],
    ['i.csv', '\uFEFF\r\n <!doctype html><HTML>', /the file is a web page or XML/],
    ['k.csv', Buffer.from('\uFEFF<TABLE>', 'utf16le'), /the file is a web page or XML/],
    ['f.csv', Buffer.from('PK\u0003\u0004'), /the file is a ZIP archive or a workbook/],
  ]
  const { path, settings } = folderWith(t, Object.fromEntries(wrong))
  await makeKey(settings.DATABASE_URL)

  await Promise.all(
    wrong.map(async ([name, , message]) => {
      const { code, stdout, stderr } = await runCli(t, ['import', path(name)], settings)
      assert.deepEqual([code, stdout], [1, ''], name)
      assert.match(stderr, message)
    }),
  )
  writeFileSync(path('j.csv'), csv)
  const { stderr } = await runCli(t, ['import', path('j.csv'), '--update', 'no', '--key', '1'], settings)
  assert.equal(stderr, 'adoptable: the file has no column named no; its first line has name, category\n')
})

test('import --status: sets what a status means; the report lists statuses that are not understood first', async (t) => {
  const file =
    'Name,Species,Status,Animal ID\nRex,Dog,Medical Hold,1\nMax,Dog,Hold - Bite Q,2\nAda,Dog,Available,3\nSue,Dog,,4\n'
  const { path, settings } = folderWith(t, { 'luv.csv': file })
  const args = ['import', '--init', path('luv.csv'), '--from', 'shelterluv']

  const wrong = await runCli(t, [...args, '--status', 'Medical Hold=lost'], settings)
  assert.equal(wrong.code, 2)
  assert.match(
    wrong.stderr,
    /one of: available, pending, sold, unlisted\. For example: "Medical Hold=unlisted"/,
  )

  const chosen = ['--status', 'AVAILABLE=Pending', '--status', ' medical  hold = available']
  const { code, stderr } = await runCli(t, [...args, ...chosen], settings)
  assert.equal(code, 0)
  assert.match(
    stderr,
    /^statuses not understood, so these animals are not published: "Hold - Bite Q" \(1\); --status .*\nanimals without a status, which are not published: 1\nstatuses: "Medical Hold" \(1\) is available, "Available" \(1\) is pending$/m,
  )
  const animals = (await runCli(t, ['export'], settings)).stdout.trimEnd().split('\n')
  assert.deepEqual(
    animals.map((line) => JSON.parse(line).status),
    ['available', undefined, 'pending', undefined],
  )
})

test('import progress: shows the rate, and the remaining time if the file size is known', () => {
  assert.equal(
    formatProgress(450_000, 15, 0.45),
    '███████████░░░░░░░░░░░░░ 45% 450,000 lines, 30,000/s, 19 s left',
  )
  assert.equal(formatProgress(450_000, 15, undefined), '450,000 lines, 30,000/s')
  assert.equal(
    formatSummary({ added: 1, updated: 2, unchanged: 3, refused: 4, leftOut: {} }, 2, true),
    'dry run, nothing was written: added 1, updated 2, unchanged 3, refused 4 (10 lines in 2.0 s, 5/s)',
  )
})

test('import --help: names each setting that it reads', async (t) => {
  const { stdout } = await runCli(t, ['import', '--help'], {})

  for (const name of ['DATABASE_URL', 'PHOTOS_URL', 'PHOTOS_PUBLIC_URL'])
    assert.match(stdout, new RegExp(`^ +${name} `, 'm'))
})
