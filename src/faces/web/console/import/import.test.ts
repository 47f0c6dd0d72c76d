import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import http from 'node:http'
import { test } from 'node:test'
import { formIn, signIn, unescaped } from '../../../../testing/console.ts'
import { openStore } from '../../../../testing/import-lines.ts'
import { until } from '../../../../testing/redis.ts'
import { scratchStore, startApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { upload } from '../../../../testing/upload.ts'
import { textsOf } from '../../texts/texts.ts'
import { reasonsIn } from './refused.ts'
import { runImport } from './run.ts'

const FILE = 'name,category,status\nRex,Dog,available\nLuna,Cat,\n,Dog,\n<script>,Nothing,\n'

test('an uploaded file is previewed, and imported when the person confirms', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const preview = await upload(app, ana, FILE)

  assert.equal(preview.status, 200)
  assert.match(preview.text, /<b>2<\/b> added/)
  assert.match(preview.text, /<b>2<\/b> skipped/)
  assert.doesNotMatch(preview.text, /<script>/)
  assert.deepEqual((await app.get('/v1/pets')).body, [], 'nothing is changed yet')

  const confirm = '/console/import/confirm'
  const form = formIn(preview.text, confirm)
  const [one, other] = await Promise.all([ana.send(confirm, form), ana.send(confirm, form)])

  const [done, refused = 0] = [one?.status, other?.status].sort()
  assert.ok(done === 200 && [409, 429].includes(refused), 'two clicks do it once')
  const names = (await app.get('/v1/pets')).body.map(({ name }: { name: string }) => name)
  assert.deepEqual(names.sort(), ['Luna', 'Rex'])
  assert.equal((await ana.send(confirm, form)).status, 409)
  assert.match((await upload(app, ana, FILE)).text, /<b>0<\/b> added.*<b>2<\/b> unchanged/)
})

test('each person runs one import at a time; a preview stops when the browser disconnects', async (t) => {
  const app = await startApp(t)
  const [ana, ben] = [await signIn(app), await signIn(app)]
  const browser = new AbortController()
  const large = `name,category\n${'Rex,Dog\n'.repeat(1_000_000)}`
  const left = assert.rejects(upload(app, ana, large, {}, {}, browser.signal), { name: 'AbortError' })
  await until(() => readdirSync(app.service.context.photos.store.workFolder).includes('import-1'))

  assert.equal((await upload(app, ben, FILE)).status, 200)
  const refused = await upload(app, ana, FILE)
  assert.match(refused.text, /or until your upload or import has finished/)
  browser.abort()
  await left

  await until(async () => (await upload(app, ana, FILE)).status === 200)
  assert.match(app.log.join(''), /"path":"\/console\/import","status":408/, 'the preview was ended early')
})

test('confirming the file of another person or a replaced file: 409, and nothing is imported', async (t) => {
  const app = await startApp(t)
  const [ana, ben] = [await signIn(app), await signIn(app)]
  const confirm = '/console/import/confirm'
  const { ticket = '' } = formIn((await upload(app, ana, FILE)).text, confirm)

  assert.equal((await ben.send(confirm, { ticket })).status, 400)
  assert.equal((await ana.send(confirm, { ticket: `${ticket}x` })).status, 400)
  await upload(app, ana, FILE.replace('Rex', 'Max'))
  assert.equal((await ana.send(confirm, { ticket })).status, 409)
  assert.deepEqual((await app.get('/v1/pets')).body, [])
})

test('a file without animals: the page explains why', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const wrong: [file: string, fields: Record<string, string>, status: number][] = [
    ['', {}, 400],
    ['{"name": "Rex"}', {}, 200],
    ['a,b\n1,2\n', {}, 200],
    [FILE, { from: 'petfinder' }, 200],
    [FILE, { category: 'None such' }, 200],
    [FILE, { organization: 'NONE' }, 200],
    ['x'.repeat(10_000_001), {}, 413],
  ]
  for (const [file, fields, status] of wrong) {
    const answer = await upload(app, ana, file, fields)
    assert.equal(answer.status, status, `${file.slice(0, 20)} ${JSON.stringify(fields)}`)
    assert.doesNotMatch(answer.text, /<b>[1-9]\d*<\/b> added/)
  }
})

test('a member of an organization imports only into that organization', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { body: north } = await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  const ana = await signIn(app, { organizationId: north.id })
  const file = 'name,category,organization\nRex,Dog,\nLuna,Cat,S1\n'
  const confirm = '/console/import/confirm'

  const preview = await upload(app, ana, file)
  assert.match(preview.text, /<b>1<\/b> skipped/)
  await ana.send(confirm, formIn(preview.text, confirm))

  const pets = (await app.get('/v1/pets')).body
  assert.deepEqual(
    pets.map(({ name, organizationId }: { name: string; organizationId: number }) => [name, organizationId]),
    [['Rex', north.id]],
  )
})

const LARGE = `name,category,status\n${Array.from({ length: 2_600 }, (_, index) => `Pet ${index},Dog,available\n`).join('')}`
const CONFIRM = '/console/import/confirm'
test('a large import streams its page with the progress', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const { status, text } = await ana.send(CONFIRM, formIn((await upload(app, ana, LARGE)).text, CONFIRM))

  assert.equal(status, 200)
  assert.match(text, /2,000 lines so far.*2,500 lines so far.*Import finished.*<b>2,600<\/b> added/s)
  assert.match(text, /<\/html>\s*$/)
})

test('an import continues when the browser disconnects', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const ana = await signIn(app)
  const form = formIn((await upload(app, ana, LARGE)).text, CONFIRM)
  const headers = {
    cookie: `__Host-session=${ana.token}`,
    'content-type': 'application/x-www-form-urlencoded',
    'sec-fetch-site': 'same-origin',
  }
  const request = http.request({ port: app.port, method: 'POST', path: CONFIRM, headers })
  request.end(String(new URLSearchParams(form)))
  const [response] = await once(request, 'response')
  response.destroy()

  await until(async () => (await app.get('/v1/inventory')).body.overall.available === 2_600)
})

const WRONG = `name,Species,Sex,Birthdate,Fixed?,Weight,Cost,status
Rex,dragon,F,2020-01-02,yes,3 kg,150,available
Ada,Dog,"boy <i>",31/12/2020,sometimes,heavy,much,ready
Max,Dog,M,2999-01-01,yes,3,1,sold
Kim,Dog,M,,,,,,more
,Dog,M,2020-01-02,yes,3,1,sold
Luna,Dog,${'x'.repeat(150)},,,,,
`

/** The skipped rows of a page: line and reasons. */
function shownIn({ text }: { text: string }): string[] {
  const shown = new Map<number, string[]>()
  for (const [, reason = '', lines = ''] of text.matchAll(
    /<summary>([^<]*) <b>\d+<\/b><\/summary>\s*<ul>(.*?)<\/ul>/g,
  ))
    for (const [, line] of lines.matchAll(/<small>\S+ (\d+)<\/small>/g))
      shown.set(Number(line), [...(shown.get(Number(line)) ?? []), unescaped(reason)])
  return [...shown]
    .toSorted(([one], [other]) => one - other)
    .map(([line, reasons]) => `${line}: ${reasons.join(' ')}`)
}

test('a skipped row is explained with the labels of the console and the text of its cells', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const preview = await upload(app, ana, WRONG, { dayFirst: 'no' })

  assert.deepEqual(shownIn(preview), [
    '2: “dragon” is not a known type. Upload the file again and choose a “Type to use when missing”.',
    '5: This row has more cells than the header row.',
    '6: Name is required.',
  ])
  assert.doesNotMatch(preview.text, /<i>|--[a-z]/)

  const form = formIn(preview.text, '/console/import/columns')
  const spanish = await ana.send('/console/import/columns', form, { 'accept-language': 'es' })
  const [kind, , missing] = shownIn(spanish)
  assert.match(kind ?? '', /^2: «dragon» no es un tipo conocido\./)
  assert.equal(missing, '6: Rellene este campo: Nombre.')
})

test('a reason that has no text of the console is shown without the options of the command', () => {
  const { console: words } = textsOf('en')
  const expected = {
    'the store is full; --more makes room': 'The store is full.',
    'It came twice: say --once or --twice. Nothing was changed.': 'It came twice. Nothing was changed.',
    'It costs 3.50, and no more.': 'It costs 3.50, and no more.',
  }
  for (const [reason, text] of Object.entries(expected))
    assert.deepEqual(reasonsIn({ reason }, words), [text])
})

test('an unreadable file is explained in the language of the page', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  for (const [file, fields, expected] of [
    [
      'id,AnimalName,Type,Status\nA1,Rex,Dog,A\n',
      { from: 'petfinder' },
      /Cambie el nombre de esa columna a «ID»\./,
    ],
    ['{', { name: 'a.json', from: 'shelter-manager' }, /El archivo no es JSON válido\./],
    ['{\n', { name: 'a.ndjson' }, /El archivo no es JSON válido\./],
    ['[1]\n', { name: 'a.ndjson' }, /Esto no es un animal: /],
    [
      'ID,AnimalName,Type,Status\nA1,Rex,Dog,Q\n',
      { from: 'petfinder' },
      />Q <small>1 animal · <b>No se reconoce</,
    ],
  ] as const) {
    const { text } = await upload(app, ana, file, fields, { 'accept-language': 'es' })
    assert.match(text, expected)
    assert.doesNotMatch(text, /JSON \(RFC|must be|was not read/)
  }
})

test('a repeated animal or file: the page explains it without naming options of the command', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const file = 'ID,AnimalName,Type,Status\nA1,Rex,Dog,A\n'
  const from = { from: 'petfinder' }
  await ana.send(CONFIRM, formIn((await upload(app, ana, file, from)).text, CONFIRM))

  const again = await upload(
    app,
    ana,
    `${file}${'A2,Max,Dog,A\nA3,Kim,Dog,A\nA4,Ada,Cat,A\nA5,Bo,Dog,A\n'}`,
    from,
  )
  const names = [...again.text.matchAll(/<li><b>(\w+)<\/b> <small>/g)].map(([, name]) => name)
  assert.deepEqual(names, ['Rex', 'Max', 'Kim'], 'the first valid animals')
  assert.match(again.text, /<b>4<\/b> added.*<b>1<\/b> unchanged/)
  const keep = await upload(app, ana, file.replace('Rex', 'Rexi'), { ...from, keep: 'yes' })
  assert.match(
    shownIn(keep)[0] ?? '',
    /^2: This animal is already here, as animal \d+, and stays unchanged\./,
  )
  const wrong: [file: string, fields: Record<string, string>, expected: RegExp][] = [
    [file, {}, /This looks like an export of another program\. Choose that program under “Where/],
    ['name,category\nRex,Dog\n', from, /Required columns are missing: ID, /],
    ['{"name":"Rex"}\n', { name: 'a.csv' }, /Rename the file: its name must end in \.ndjson\./],
    ['PK\x03\x04', {}, /Save the sheet as CSV UTF-8/],
    ['id,AnimalName,Type,Status\nA1,Rex,Dog,A\n', from, /Rename that column to “ID”\./],
    [
      'ID,AnimalName,Type,Status,birth_date\nA2,Rex,Dog,A,31/12/2020\n',
      { ...from, dayFirst: 'no' },
      /birth_date \(starts with the day\): “[^”]*” on line \d: 1</,
    ],
  ]
  for (const [sent, fields, expected] of wrong) {
    const { text } = await upload(app, ana, sent, fields)
    assert.match(text, expected)
    assert.doesNotMatch(text, /--[a-z]/)
  }
})

test('a database error during an import is not reported as an error of the file', async (t) => {
  const { db } = await openStore(t, scratchStore(t))
  const write = () => Promise.reject(new Error('disk I/O error'))
  const context = { db, write, clock: () => 0 } as never
  const none = { from: '', category: '', organization: '', source: '' }
  const chosen = { ...none, currency: 'USD', name: 'a.csv', pounds: false, keep: false, statuses: [] }
  const options = { dryRun: false, words: textsOf('en').console }
  const run = (text: string) =>
    runImport(context, { id: null } as never, { bytes: Buffer.from(text), chosen }, options)

  assert.match(String((await run('x,y\nRex,Dog\n')).failed?.reason), /no column name/)
  await assert.rejects(run('name,category\nRex,Dog\n'), /disk I\/O error/)
})

test('the file of skipped rows is uploaded again: animals that are stored are recognized', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const file = 'name,category,status,bondedWith\nRex,Dog,available,Max\n,Cat,available,\n'
  await ana.send(CONFIRM, formIn((await upload(app, ana, file)).text, CONFIRM))
  const skipped = async () => (await ana.get('/console/import/refused.csv')).text.replace('\uFEFF', '')
  const rows = await skipped()
  assert.match(rows, /^name,category,status,bondedWith,Why it was skipped\r\nRex,.*"This animal/)

  const again = await upload(app, ana, rows.replace('\n,Cat', '\nAda,Cat'))

  assert.match(again.text, /<b>1<\/b> added.*<b>1<\/b> unchanged/)
  assert.match(await skipped(), /^name,category,status,bondedWith,Why it was skipped\r\nRex,Dog/)
})
