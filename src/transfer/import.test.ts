import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { changes } from '../changes.ts'
import { compareStores, copyStore } from '../db/copy.ts'
import { openForCommand } from '../db/open-database.ts'
import { BY_ID, importText, lines, openStore, type Store } from '../testing/import-lines.ts'
import { scratchDatabase } from '../testing/postgres.ts'
import { makeKey, scratchStore, startApp, UNLIMITED } from '../testing/start-app.ts'
import { exportAnimals } from './export.ts'
import { ownMapping } from './mappings/own.ts'
import { shelterManager } from './mappings/shelter-manager.ts'

const ENGINES = [
  ['SQLite', scratchStore],
  ['PostgreSQL', scratchDatabase],
] as const

const REX = { name: 'Rex', category: 'Dog' }
const members = (count: number): string =>
  Array.from({ length: count }, (_, index) => `"m${index}":1`).join(',')

const exported = (store: Store, format: 'csv' | 'ndjson' = 'csv') =>
  text(Readable.from(exportAnimals(store.db, format)))

test('CSV with byte order mark, CRLF and quotes keeps exact names, and refused lines are reported by number', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const csv = [
    '\uFEFFname,category,categoryId,status,note',
    '"Rex ""the"" dog, 1",DOG,,available,',
    ' Bella ,,2,,"over',
    'two lines"',
    '',
    'Max,ｃａｔ ,,sold,x',
    ',Dog,,,',
    'Moss,Dragon,,lost,',
    'Odd,Dog,1,,',
    'Far,,9007199254740993,,',
    'Half,,1.5,,',
    'Short,Dog',
    'Long,Dog,,,,more',
    'Sti"ll,Dog,,,',
    '"Last",Bird,,,',
  ].join('\r\n')

  const { added, refused, reasons } = await importText(store, csv, { format: 'csv' })

  assert.deepEqual([added, refused], [6, 6])
  assert.equal(
    await exported(store),
    [
      'id,name,category,status',
      '1,"Rex ""the"" dog, 1",Dog,available',
      '2," Bella ",Cat,',
      '3,Max,Cat,sold',
      '4,Short,Dog,',
      '5,"Sti""ll",Dog,',
      '6,Last,Bird,',
      '',
    ].join('\r\n'),
  )
  assert.deepEqual(reasons, [
    '7: name: This is required.',
    '8: No category is named "Dragon"; choose one with --category.',
    '9: Give either categoryId or category.',
    '10: categoryId: No category has this id. GET /categories lists them; POST /categories adds one, with an admin key.',
    '11: categoryId: This must be a whole number.',
    '13: It has 6 cells, but the headings have 5.',
  ])
})

test('CSV with other columns is refused, and an unclosed quote is reported with its lines', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const csv = (content: string | Buffer) => importText(store, content, { format: 'csv' })

  await assert.rejects(csv(''), /the file has no column named name; its first line has nothing/)
  await assert.rejects(csv('nom|status\nRex|\n'), /has no column named name; its first line has nom, status/)
  await assert.rejects(csv('name,name\nRex,Max\n'), /has two columns name/)
  await assert.rejects(csv('ID,AnimalName,Type,Status,Age\n1,Rex,Dog,A,\n'), /use --from petfinder$/)
  const open = await csv('name,category\nRex,Dog\n"Max,Dog\nBella,Dog\n')
  assert.deepEqual([open.added, open.reasons[0]?.slice(0, 25)], [1, '3: Lines 3 to 4 are not v'])
  const endless = `name,category\nBella,Dog\n"Max,Dog\n${'Rex,Dog\n'.repeat(200_000)}`
  await assert.rejects(csv(endless), /line 3: .* longer than 1048576 bytes; look for a quote that is never/)
  const latin = await importText(store, Buffer.from('name,category\nJosé,Dog\n', 'latin1'), {
    ...{ format: 'csv', encoding: 'utf-8' },
  })
  assert.deepEqual(latin.reasons, ['2: This line is not UTF-8. Save the file again with that encoding.'])
  const sign = await csv('name,category\nJos\uFFFD,Dog\n')
  assert.deepEqual([sign.added, sign.reasons], [1, []])
})

test('CSV with semicolons or tabs is imported; a comma in the headings has precedence', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const csv = (content: string) => importText(store, content, { format: 'csv' })

  await csv('\uFEFF"name";"category";note\r\n"Rex; the dog";Dog;1,5\r\n')
  await csv('name\tcategory\nMax, Bella\tCat\n')
  await csv('name,category,a;b\nZoe,Dog,x;y\n')

  const names = [...(await exported(store)).matchAll(/^\d+,(.*),/gm)].map(([, rest]) => rest)
  assert.deepEqual(names, ['Rex; the dog,Dog', '"Max, Bella",Cat', 'Zoe,Dog'])
})

test('CSV record that is too long, without quotes: only this record is refused', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const long = 'x'.repeat(2 ** 20)
  const file = [
    'name,category,note',
    'Rex,Dog,',
    `Max,Dog,${long}`,
    `Max,Dog,${'é'.repeat(2 ** 20)}`,
    'Zoe,Dog,"a',
  ]
  const csv = `${file.join('\r\n')}\nb"\n${`Moss,Dog,${long.slice(9)}`}\nFly,Dog,${long.slice(7)}\n`

  const { added, reasons } = await importText(store, csv, { format: 'csv' })

  assert.deepEqual(
    reasons,
    [3, 4, 8].map((line) => `${line}: It is longer than 1048576 bytes.`),
  )
  assert.deepEqual([added, (await exported(store)).match(/Rex|Zoe|Moss/g)], [3, ['Rex', 'Zoe', 'Moss']])
})

const BODIES = [
  '{"name":"Rex","categoryId":1}',
  '{"name":"  Rex 🐕 ","categoryId":8,"status":"sold","id":7,"more":[1]}',
  '{"name":"","categoryId":1}',
  '{"name":" ","categoryId":1}',
  `{"name":"${'é'.repeat(200)}","categoryId":1}`,
  `{"name":"${'é'.repeat(201)}","categoryId":1}`,
  '{"name":"a\\u0000b","categoryId":1}',
  '{"name":"\\ud800","categoryId":1}',
  '{"name":"Rex","categoryId":"1"}',
  '{"name":"Rex","categoryId":1.5}',
  '{"name":"Rex","categoryId":1.0}',
  '{"name":"Rex","categoryId":99}',
  '{"name":"Rex","categoryId":9007199254740993}',
  '{"name":"Rex","categoryId":99999999999999999999}',
  '{"name":"Rex","categoryId":1,"status":null}',
  '{"name":"Rex","categoryId":1,"status":"lost"}',
  '{"name":null,"categoryId":1}',
  '{"name":"Rex","name":"Max","categoryId":1}',
  '{"categoryId":1}',
  '{"name":"Rex"}',
  '{}',
  '[]',
  'null',
  '{"name":"Rex",}',
  '{"__proto__":1,"name":"Rex","categoryId":1}',
]

test('an NDJSON line is imported if and only if POST /v1/pets accepts it, and gives the same animal', async (t) => {
  const app = await startApp(t, { databaseUrl: scratchStore(t), key: UNLIMITED })
  const posted: { line: number; details: string }[] = []
  for (const [index, body] of BODIES.entries()) {
    const { status, body: answer } = await app.post('/v1/pets', Buffer.from(body))
    assert.ok(status === 201 || status === 400, body)
    const details = answer.details?.map(
      ({ pointer, message }: { pointer: string; message: string }) =>
        pointer && `${pointer.slice(1)}: ${message}`,
    )
    if (status === 400) posted.push({ line: index + 1, details: details?.join(' ') ?? '' })
  }
  const store = await openStore(t, scratchStore(t))

  const { refusals } = await importText(store, BODIES.join('\n'))

  assert.deepEqual(
    refusals.map(({ line }) => line),
    posted.map(({ line }) => line),
  )
  for (const { line, reason } of refusals) {
    const { details } = posted.find((one) => one.line === line) ?? {}
    if (details) assert.equal(reason, details, BODIES[line - 1])
  }
  const one = await openStore(t, app.databaseUrl)
  assert.equal(await exported(store), await exported(one))
})

for (const [engine, makeStore] of ENGINES) {
  test(`on ${engine}, import --update changes only what differs and may be changed`, async (t) => {
    const app = await startApp(t, { databaseUrl: await makeStore(t), key: UNLIMITED })
    const store = await openStore(t, app.databaseUrl)
    const first = lines(
      { id: 'a', name: 'Rex', category: 'dog', status: 'available' },
      { id: 2, name: 'Bella', category: 'cat', status: 'sold' },
      { id: 9007199254740993n.toString(), name: 'Max', category: 'Bird' },
      { id: 'order', name: 'Moss', category: 'Dog', status: 'available' },
      { id: 'gone', name: 'Fly', category: 'Dog' },
      { name: 'Nobody', category: 'Dog' },
      { id: '', name: 'Nobody', category: 'Dog' },
      { id: 'x'.repeat(201), name: 'Nobody', category: 'Dog' },
    )
    const { added, reasons } = await importText(store, first, BY_ID)
    assert.equal(added, 5)
    assert.ok(reasons.every((reason) => reason.endsWith('id: This must be an id of 1 to 200 characters.')))
    assert.deepEqual(
      reasons.map((reason) => reason[0]),
      ['6', '7', '8'],
    )
    assert.deepEqual((await app.get('/v1/pets/1/history')).body, [])
    const adopter = { name: 'A', email: 'a@example.org' }
    assert.equal((await app.post('/v1/store/orders', { petId: 4, adopter })).status, 201)
    assert.equal((await app.request('/v1/pets/5', { method: 'DELETE' })).status, 204)
    const before = await app.get('/v1/pets?sort=id')
    const etagOf = async (id: number) => (await app.get(`/v1/pets/${id}`)).headers.etag
    const etags = [await etagOf(1), await etagOf(3)]

    const again = lines(
      { id: 'a', name: 'Rex', category: 'dog', status: 'available' },
      { id: 2, name: 'Bella', category: 'cat', status: 'pending' },
      { id: '9007199254740993', name: 'Maxi', category: 'Bird', status: 'available' },
      { id: 'order', name: 'Moss', category: 'Dog', status: 'available' },
      { id: 'gone', name: 'Fly', category: 'Dog' },
      { id: 'a', name: 'Rex', category: 'dog' },
      { id: 'new', name: 'Zoe', category: 'dog' },
      { id: 'new', name: 'Zoë', category: 'dog', status: 'sold' },
    )
    const second = await importText(store, again, { ...BY_ID, clock: () => app.clock.now })

    assert.deepEqual(
      [second.added, second.updated, second.unchanged, second.reasons],
      [
        2,
        1,
        1,
        [
          '2: This animal is sold; from there it can become available, not pending.',
          '4: An order for this animal is open. Complete or cancel it first; GET /store/orders finds it.',
        ],
      ],
    )
    // On PostgreSQL another process is notified of a change a moment later.
    while ((await app.get('/v1/pets?sort=id')).headers.etag === before.headers.etag)
      await new Promise(setImmediate)
    while ((await etagOf(3)) === etags[1]) await new Promise(setImmediate)
    assert.deepEqual((await app.get('/v1/pets?sort=id')).body, [
      { id: 1, name: 'Rex', categoryId: 1, status: 'available' },
      { id: 2, name: 'Bella', categoryId: 2, status: 'sold' },
      { id: 3, name: 'Maxi', categoryId: 6, status: 'available' },
      { id: 4, name: 'Moss', categoryId: 1, status: 'pending' },
      { id: 6, name: 'Fly', categoryId: 1 },
      { id: 7, name: 'Zoë', categoryId: 1, status: 'sold' },
    ])
    assert.deepEqual((await app.get('/v1/pets/3/history')).body, [
      {
        at: '2026-12-01T00:00:00.000Z',
        keyId: 1,
        changes: { name: { from: 'Max', to: 'Maxi' }, status: { to: 'available' } },
      },
    ])
    assert.equal(await etagOf(1), etags[0])
    const inventory = (await app.get('/v1/inventory')).body.overall
    assert.deepEqual(inventory, { available: 2, pending: 1, sold: 2, unlisted: 1 })
  })

  test(`on ${engine}, a dry run reports what would be done, writes nothing and uses no ids`, async (t) => {
    const url = await makeStore(t)
    await makeKey(url)
    const store = await openStore(t, url)
    await importText(store, lines({ id: 1, name: 'Rex', category: 'Dog', status: 'sold' }), BY_ID)
    const before = await exported(store)
    const file = lines(
      { id: 1, name: 'Max', category: 'Dog' },
      { id: 2, name: 'Bella', category: 'Dog' },
      { id: 2, name: 'Bello', category: 'Dog' },
      { id: 3, name: 'Moss', category: 'Dragon' },
    )

    const { added, updated, refused } = await importText(store, file, { ...BY_ID, dryRun: true })

    assert.deepEqual([added, updated, refused], [1, 1, 2], 'of two lines with one id, the last counts')
    assert.equal(await exported(store), before)
    assert.deepEqual(await store.db.selectFrom('pet_change').select('id').execute(), [])
    await importText(store, lines({ name: 'Next', category: 'Dog' }))
    assert.match(await exported(store), /\r\n2,Next,Dog,\r\n$/)
  })
}

test('more updates than fit in a transaction are all written, and a refused update is reported in order', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const animals = (status: string) =>
    Array.from({ length: 450 }, (_, id) => ({ id, name: 'Rex', category: 'Dog', status }))
  await importText(store, lines(...animals('available')), BY_ID)
  const changed = animals('sold')
  changed[300] = { id: 300, name: '', category: 'Dog', status: 'sold' }

  const { added, updated, reasons } = await importText(store, lines({}, ...changed), BY_ID)

  assert.deepEqual([added, updated], [0, 449])
  assert.deepEqual(
    reasons.map((reason) => reason.split(':')[0]),
    ['1', '302'],
  )
  const changes = await store.db.selectFrom('pet_change').select('pet_id').distinct().execute()
  assert.equal(changes.length, 449)
})

test('the history of imported animals shows the given key or no key, and the time of the clock', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const rex = lines({ name: 'Rex', category: 'Dog' })

  await importText(store, rex)
  await importText(store, rex, { keyId: 1, again: true })

  const columns = ['created_at', 'created_by', 'updated_at'] as const
  const rows = await store.db.selectFrom('pet').select(columns).orderBy('id').execute()
  assert.deepEqual(
    rows.map((row) => Object.values(row)),
    [
      [1_000, null, 1_000],
      [1_000, 1, 1_000],
    ],
  )
  const drawn = await store.db.selectFrom('pet').select('version').distinct().execute()
  assert.equal(drawn.length, 2)
  await assert.rejects(importText(store, rex, { keyId: 2 }), /there is no valid key 2/)
  await assert.rejects(importText(store, rex, { category: 'Dragon' }), /there is no category "Dragon"/)
})

test('without --update a changed line is refused and an unchanged line skipped; from another source both are new animals', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const rex = lines({ id: 1, name: 'Rex', category: 'Dragon' })
  const once = { idColumn: 'id', category: 'barnyard' }
  await importText(store, rex, once)

  const { added, reasons } = await importText(store, rex.replace('Rex', 'Max'), once)

  assert.deepEqual([added, reasons], [0, ['1: It was imported before, as animal 1; --update changes it.']])
  assert.equal((await importText(store, rex, once)).unchanged, 1)
  assert.equal((await importText(store, rex, { ...once, source: 'other' })).added, 1)
  assert.match(await exported(store), /1,Rex,Barnyard,\r\n2,Rex,Barnyard/)
})

test('an animal with a missing or inexact id is refused', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const ids = [
    '12345678901234567890',
    '12345678901234567891',
    '12345678901234567.5',
    '1.5',
    '9007199254740993',
    '7',
  ]
  const file = ids.map((id) => `{"id":${id},"name":"Rex","category":"Dog"}`).join('\n')
  const { added, refusals } = await importText(store, file, BY_ID)
  assert.deepEqual([added, refusals.map(({ line }) => line)], [2, [1, 2, 3, 4]])
  assert.equal(refusals[0]?.reason, 'id: Put such a large number in quotes.')

  const withoutIds = await importText(store, lines({ name: 'Rex', category: 'Dog' }), { idColumn: 'id' })
  assert.deepEqual(withoutIds.reasons, ['1: id: This must be an id of 1 to 200 characters.'])
})

test('an animal no longer for adoption in the source is no longer published, unless it has an open order', async (t) => {
  const databaseUrl = scratchStore(t)
  const { post, get } = await startApp(t, { databaseUrl, key: UNLIMITED })
  const store = await openStore(t, databaseUrl)
  let unlisted = false
  const listed = () => (unlisted ? {} : { status: 'available' })
  const mapping = { ...ownMapping, toAnimal: () => ({ name: 'Rex', category: 'Dog', unlisted, ...listed() }) }
  const both = lines({ id: 1 }, { id: 2 })
  await importText(store, both, { ...BY_ID, mapping })
  assert.equal(
    (await post('/v1/store/orders', { petId: 2, adopter: { name: 'Ada', email: 'ada@example.org' } })).status,
    201,
  )
  unlisted = true

  const { takenOff, reasons } = await importText(store, both, { ...BY_ID, mapping })

  assert.equal(takenOff, 1)
  assert.deepEqual(reasons, [
    '2: The file says that it is not for adoption, but animal 2 is pending and has an open order: cancel the order.',
  ])
  const { status, updatedAt, ...rest } = (await get('/v1/pets/1?fields=*')).body
  assert.deepEqual([status, rest.name], [undefined, 'Rex'])
  assert.deepEqual((await get('/v1/pets?status=available')).body, [])
  const [latest] = (await get('/v1/pets/1/history')).body
  assert.deepEqual(latest.changes, { status: { from: 'available' } })
})

test('lines of any length are read in chunks of any size; only a line that is too long is refused', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const long = `{"name":"Max","category":"Dog","note":"${'x'.repeat(5 * 2 ** 20)}"}`
  const rex = lines({ name: 'Rex', category: 'Dog', note: 'é'.repeat(5_000) })
  const file = ['\uFEFF{"name":"Zoë","category":"Dog"}\r', '', '  \r', long, rex, rex].join('\n')

  const { added, reasons } = await importText(store, file)

  assert.deepEqual([added, reasons], [3, ['4: It is longer than 4194304 bytes.']])
  assert.deepEqual((await importText(store, `\uFEFF\n${rex}`)).reasons, [])
})

const SHELTER_MANAGER = { mapping: shelterManager, format: 'json', idColumn: 'ANIMALCODE' } as const

test('a JSON array of 300 animals with 150 members each is imported, because member limits apply per animal', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const others = Object.fromEntries(
    Array.from({ length: 146 }, (_, index) => [`FIELD${index}`, `${index}]"{`]),
  )
  const animals = Array.from({ length: 300 }, (_, id) => ({
    ...{ ID: id, SHELTERCODE: `S${id}`, ANIMALNAME: `Zoë ${id}`, SPECIESNAME: 'Cat', ...others },
    ...(id < 2 && { BONDEDANIMALID: 1 - id }),
  }))
  const document = ` ${JSON.stringify(animals)}\n`

  const { added, refused } = await importText(store, document, SHELTER_MANAGER)

  assert.deepEqual([added, refused], [300, 0])
  const [one, other] = (await exported(store, 'ndjson')).split('\n').map((line) => JSON.parse(line || '{}'))
  assert.deepEqual([one.name, one.bondedWith, other.bondedWith], ['Zoë 0', [2], [1]])
})

for (const [document, message] of [
  ['[1,]', /not valid JSON/],
  ['[1,,2]', /not valid JSON/],
  ['[1}', /not valid JSON/],
  ['[1', /not valid JSON/],
  ['[', /not valid JSON/],
  ['[1] 2', /not valid JSON/],
  ['["a]', /not valid JSON/],
  ['[{"a":[}]', /not valid JSON/],
  [`[${'[],'.repeat(100_000)}[]]`, /It has more than 100000 items/],
  [`[${`[${'1,'.repeat(49_000)}1],`.repeat(21)}1]`, /It has more than 1000000 members and items/],
  [`[[${'1,'.repeat(50_000)}1]]`, /It has more than 50000 members and items/],
  [`["${'x'.repeat(2 ** 22)}"]`, /It is longer than 4194304 bytes/],
  [`["${'x'.repeat(10_000_000)}"]`, /the file is longer than 10000000 bytes/],
] as const) {
  test(`import of the JSON array ${document.slice(0, 12)} (${document.length} bytes) is refused`, async (t) => {
    const store = await openStore(t, scratchStore(t))
    await assert.rejects(importText(store, document, { format: 'json' }), message)
  })
}

test('import of an empty JSON array adds no animal', async (t) => {
  const store = await openStore(t, scratchStore(t))
  for (const document of ['[]', '\n[ \n]\t']) {
    const { added, refused } = await importText(store, document, SHELTER_MANAGER)
    assert.deepEqual([added, refused], [0, 0])
  }
})

test('an oversized line, cell or document is refused, and the other lines are imported', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const ndjson = await importText(
    store,
    [`{${members(1_001)}}`, lines(REX), `{"tags":[${'1,'.repeat(50_000)}1]}`].join('\n'),
  )
  assert.deepEqual(
    [ndjson.added, ndjson.reasons],
    [1, ['1: It has more than 1000 members.', '3: It has more than 50000 members and items.']],
  )
  const document = `{"data":[${'{},'.repeat(30_000)}{}]}`
  await assert.rejects(
    importText(store, document, { format: 'json' }),
    /It has more than 50000 members and items/,
  )
  const long = `{"data":[${'12345678901234567,'.repeat(20_001)}1]}`
  await assert.rejects(
    importText(store, long, { format: 'json' }),
    /20000 members and items in a document with numbers of more than 15 digits/,
  )

  const csv = (content: string) => importText(store, content, { format: 'csv' })
  await assert.rejects(
    csv(`name${',x'.repeat(1_000)}\n`),
    /the headings on line 1: It has more than 1000 cells/,
  )
  const cell = `"${'a\n'.repeat(10_000)}"`
  const { added, reasons } = await csv(`name,category,tags\nRex,Dog,${cell}\nMax,Dog,calm\n`)
  assert.deepEqual([added, reasons], [1, ['2: It has more than 10000 items in a cell.']])
})

test('an export blocked by a transaction continues after the transaction ends, and fails if it does not end', async (t) => {
  const store = await openStore(t, await scratchDatabase(t))
  const add = (db: Store['db'], name: string) =>
    db
      .insertInto('pet')
      .values({ name, category_id: 1, status: null } as never)
      .execute()
  const lines = exportAnimals(store.db, 'csv')
  await add(store.db, 'First')
  await store.db.transaction().execute(async (inside) => {
    await add(inside, 'Slow')
    await add(store.db, 'Fast')
    await assert.rejects(
      text(Readable.from(exportAnimals(store.db, 'csv', { maxPauses: 0 }))),
      /blocks the ids from 2 on/,
    )
    assert.match((await lines.next()).value, /^id/)
    assert.match((await lines.next()).value, /^1,First.*\r\n$/)
    assert.equal((await lines.next()).value, '')
  })

  assert.match(await text(Readable.from(lines)), /^2,Slow.*\r\n3,Fast.*\r\n$/)
})

test('a copy to another engine remembers imported animals', async (t) => {
  const [from, to] = [scratchStore(t), await scratchDatabase(t)]
  await makeKey(from)
  const animals = lines({ id: 1, name: 'Rex', category: 'Dog' }, { id: 2, name: 'Max', category: 'Cat' })
  const store = await openForCommand(from, changes)
  await importText(store, animals, BY_ID)
  await store.close()
  assert.equal((await copyStore({ from, to }, () => undefined)).equal, true)
  assert.ok(
    (await compareStores({ from, to })).some(({ table, rows }) => table === 'pet_source' && rows[1] === 2),
  )
  const copied = await openStore(t, to)

  const { added, updated, unchanged } = await importText(copied, animals, BY_ID)

  assert.deepEqual([added, updated, unchanged], [0, 0, 2])
})

test('import with organizations uses the line’s organization before that of key or option; externalId is unique', async (t) => {
  const store = await openStore(t, scratchStore(t))
  for (const code of ['CO1', 'UT2']) await store.write(changes.insertOrganization, { code, name: code }, 0)
  const key = { name: 'own', plan: 'free', access: 'write', organizationId: 1 } as const
  const keyId = await store.write(changes.insertKey, key, '1'.repeat(64), 0)
  const rex = { name: 'Rex', category: 'Dog', externalId: 'A1' }

  const both = lines(rex, { ...rex, organization: 'ut2' }, { ...rex, organization: 'XX' })
  const ours = await importText(store, both, { keyId })
  assert.deepEqual(ours.reasons, [
    '2: It belongs to a different organization than the key.',
    '3: No organization has the code "XX": add it first.',
  ])
  const again = await importText(
    store,
    lines(rex, { ...rex, organizationId: 2 }, { ...rex, organizationId: 2 }),
    {
      organization: 'co1',
    },
  )
  assert.equal(again.unchanged, 1, 'the same number and name')
  assert.deepEqual(again.reasons, ['3: externalId: Another animal of the same organization has this number.'])
  await importText(store, lines({ name: 'Max', category: 'Cat' }))

  assert.equal(
    (await exported(store, 'ndjson')).trimEnd(),
    lines(
      { id: 1, name: 'Rex', category: 'Dog', organization: 'CO1', externalId: 'A1' },
      { id: 2, name: 'Rex', category: 'Dog', organization: 'UT2', externalId: 'A1' },
      { id: 3, name: 'Max', category: 'Cat' },
    ),
  )
  assert.match(await exported(store), /^id,name,category,status,externalId,organization,species/)
  const one = await text(Readable.from(exportAnimals(store.db, 'ndjson', { organization: 'UT2' })))
  assert.equal(one.split('\n').length, 2)
  await assert.rejects(
    importText(store, both, { keyId, organization: 'UT2' }),
    /belongs to a different organization/,
  )
  await assert.rejects(importText(store, both, { organization: 'XX' }), /no organization with the code XX/)
})

test('animals removed from the source get the chosen status; if most are missing, no animal is changed', async (t) => {
  const store = await openStore(t, scratchStore(t))
  await store.write(changes.insertKey, { name: 'a', plan: 'free', access: 'write' }, '1'.repeat(64), 0)
  const animals = Array.from({ length: 30 }, (_, i) => {
    return { id: `A${i}`, name: `Rex ${i}`, category: 'Dog', status: i < 25 ? 'available' : 'sold' }
  })
  const options = { ...BY_ID, removed: 'sold' } as const
  const bring = (some: object[]) => importText(store, lines(...some), options)
  assert.equal((await bring(animals)).removed, 0)
  await importText(store, lines({ name: 'Of nobody', category: 'Cat', status: 'available' }))

  const less = await bring(animals.slice(3))
  assert.deepEqual([less.removed, less.unchanged, less.refused], [3, 27, 0])
  // An animal whose line is refused is still in the source.
  const refused = await bring([...animals.slice(4), { id: 'A3', name: '', category: 'Dog' }])
  assert.deepEqual([refused.removed, refused.refused], [0, 1])
  await assert.rejects(bring(animals.slice(0, 1)), /they were not changed/)

  const all = (await exported(store, 'ndjson')).split('\n').slice(0, 31)
  const sold = all.filter((line) => line.includes('"status":"sold"')).length
  assert.equal(sold, 5 + 3 - 1)
})

test('an animal with a changed place gets new coordinates; with an unchanged place it keeps its coordinates', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const at = async (place: object) => {
    const { refused } = await importText(store, lines({ id: 1, name: 'Rex', category: 'Dog', place }), BY_ID)
    assert.equal(refused, 0)
    return JSON.parse(await exported(store, 'ndjson')).place
  }
  const utrecht = { city: 'Utrecht', country: 'NL' }
  const exact = { latitude: 52.1, longitude: 5.1 }
  assert.deepEqual(await at(utrecht), { ...utrecht, latitude: 52.0908, longitude: 5.1222 })
  assert.deepEqual(await at({ ...utrecht, ...exact }), { ...utrecht, ...exact })
  assert.deepEqual(await at(utrecht), { ...utrecht, ...exact })
  const denver = { city: 'Denver', region: 'CO', country: 'US' }
  assert.deepEqual(await at(denver), { ...denver, latitude: 39.7392, longitude: -104.9847 })
  assert.deepEqual(await at({ city: 'Nowhere at all' }), { ...denver, city: 'Nowhere at all' })
})

test('bondedWith names up to five ids of the file; a line with other values is refused', async (t) => {
  const store = await openStore(t, scratchStore(t))
  const animal = (bondedWith: unknown) => ({ name: 'Rex', category: 'Dog', bondedWith })
  const wrong = [[1, 2, 3, 4, 5, 6], [], 'all', [{}], null]
  const { reasons } = await importText(store, lines(...wrong.map(animal)))
  const reason = 'bondedWith: This must be a list of 1 to 5 ids of animals in the file.'
  assert.deepEqual(
    reasons,
    wrong.map((_, index) => `${index + 1}: ${reason}`),
  )
})

test('a line with an age for an animal with a birth date updates the animal but ignores the age', async (t) => {
  const databaseUrl = scratchStore(t)
  const { patch, get } = await startApp(t, { databaseUrl, key: UNLIMITED })
  const store = await openStore(t, databaseUrl)
  const line = { id: 'A', name: 'Rex', category: 'Dog', status: 'available', age: 'adult' }
  await importText(store, lines(line), BY_ID)
  assert.equal((await patch('/v1/pets/1', { birthDate: '2026-11-01' })).body.age, 'baby')

  const clock = () => Date.UTC(2026, 11, 1)
  const { updated, reasons } = await importText(store, lines({ ...line, status: 'sold' }), {
    ...BY_ID,
    clock,
  })

  assert.deepEqual([updated, reasons], [1, []])
  const { status, age, birthDate } = (await get('/v1/pets/1')).body
  assert.deepEqual([status, age, birthDate], ['sold', 'baby', '2026-11-01'])
})
