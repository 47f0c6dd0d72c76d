import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { test } from 'node:test'
import { formIn, signIn, unescaped } from '../../../../testing/console.ts'
import { until } from '../../../../testing/redis.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { upload } from '../../../../testing/upload.ts'
import { textsOf } from '../../texts/texts.ts'
import { reasonsIn } from './refusal-words.ts'

const FILE = 'name,category,status\nRex,Dog,available\nLuna,Cat,\n,Dog,\n<script>,Nothing,\n'

test('a file is shown as what it would do, and does it when that is confirmed', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const preview = await upload(app, ana, FILE)

  assert.equal(preview.status, 200)
  assert.match(preview.text, /<b>2<\/b> added/)
  assert.match(preview.text, /<b>2<\/b> refused/)
  assert.doesNotMatch(preview.text, /<script>/)
  assert.deepEqual((await app.get('/v1/pets')).body, [], 'nothing is changed yet')

  const confirm = '/console/import/confirm'
  const form = formIn(preview.text, confirm)
  const [one, other] = await Promise.all([ana.send(confirm, form), ana.send(confirm, form)])

  assert.deepEqual([one?.status, other?.status].sort(), [200, 409], 'two clicks do it once')
  const names = (await app.get('/v1/pets')).body.map(({ name }: { name: string }) => name)
  assert.deepEqual(names.sort(), ['Luna', 'Rex'])
  assert.equal((await ana.send(confirm, form)).status, 409)
  assert.match(
    (await upload(app, ana, FILE)).text,
    /This file was imported before, from animal \d+ on\. Nothing was changed\./,
  )
})

test('a file that somebody else uploaded, or that was replaced, is not imported', async (t) => {
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

test('what is no file of animals is refused in words', async (t) => {
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

test('people of an organization import into that alone', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { body: north } = await app.post('/v1/organizations', { name: 'North', code: 'N1' })
  await app.post('/v1/organizations', { name: 'South', code: 'S1' })
  const ana = await signIn(app, { organizationId: north.id })
  const file = 'name,category,organization\nRex,Dog,\nLuna,Cat,S1\n'
  const confirm = '/console/import/confirm'

  const preview = await upload(app, ana, file)
  assert.match(preview.text, /<b>1<\/b> refused/)
  await ana.send(confirm, formIn(preview.text, confirm))

  const pets = (await app.get('/v1/pets')).body
  assert.deepEqual(
    pets.map(({ name, organizationId }: { name: string; organizationId: number }) => [name, organizationId]),
    [['Rex', north.id]],
  )
})

const LARGE = `name,category,status\n${Array.from({ length: 4_500 }, (_, index) => `Pet ${index},Dog,available\n`).join('')}`
const CONFIRM = '/console/import/confirm'
test('the page of a large import comes while it goes on, with how far it is', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const { status, text } = await ana.send(CONFIRM, formIn((await upload(app, ana, LARGE)).text, CONFIRM))

  assert.equal(status, 200)
  assert.match(text, /2,000 lines so far.*4,000 lines so far.*The import is done.*<b>4500<\/b> added/s)
  assert.match(text, /<\/html>\s*$/)
})

test('an import goes on when the browser leaves its page', async (t) => {
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

  await until(async () => (await app.get('/v1/inventory')).body.overall.available === 4_500)
})

const WRONG = `name,Species,Sex,Birthdate,Fixed?,Weight,Cost,status
Rex,canine,F,2020-01-02,yes,3 kg,150,available
Ada,Dog,"boy <i>",31/12/2020,sometimes,heavy,much,ready
Max,Dog,M,2999-01-01,yes,3,1,sold
Kim,Dog,M
,Dog,M,2020-01-02,yes,3,1,sold
Luna,Dog,${'x'.repeat(150)},,,,,
`

/** The reasons that a page shows, by their lines. */
const shownIn = ({ text }: { text: string }): string[] =>
  [...text.matchAll(/<tr><td>(\d+)<\/td><td>(.*?)<\/td>/g)].map(
    ([, line, reason = '']) => `${line}: ${unescaped(reason.replaceAll('<br>', ' '))}`,
  )

test('why a line is refused is said in the words of the console, with what its cells hold', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const preview = await upload(app, ana, WRONG)

  assert.deepEqual(shownIn(preview), [
    '2: No kind here is called “canine”. Choose a kind for such animals where you upload the file.',
    [
      '3: Status: “ready” is no word that is known here.',
      'Birth date: “31/12/2020” has the day first. Choose “Dates have the day first” where you upload the file.',
      'Sex: “boy <i>” is no word that is known here.',
      'Weight: “heavy” is no weight, such as 4.5 kg or 10 lb.',
      'Spayed or neutered: “sometimes” is neither yes nor no.',
      'Adoption fee: “much” is no amount, such as 150 or 99.50.',
    ].join(' '),
    '4: Birth date: “2999-01-01” is no day from 1950 to today, such as 2023-12-31.',
    '5: It has more or fewer cells than the line of headings.',
    '6: Name is missing.',
    `7: Sex: “${'x'.repeat(100)}…” is no word that is known here.`,
  ])
  assert.doesNotMatch(preview.text, /<i>|--[a-z]/)
  assert.match(preview.text, /<th class="line" scope="col">Line</)
  assert.doesNotMatch(preview.text, /Such as these animals/)

  const form = formIn(preview.text, '/console/import/columns')
  const spanish = await ana.send('/console/import/columns', form, { 'accept-language': 'es' })
  const [kind, , , , missing] = shownIn(spanish)
  assert.match(kind ?? '', /^2: Aquí ninguna especie se llama «canine»\./)
  assert.equal(missing, '6: Falta: Nombre.')
})

test('a reason without words of its own is told without what names an option of the command', () => {
  const { console: words } = textsOf('en')
  const told = {
    'the store is full; --more makes room': 'The store is full.',
    'It came twice: say --once or --twice. Nothing was changed.': 'It came twice. Nothing was changed.',
    'It costs 3.50, and no more.': 'It costs 3.50, and no more.',
  }
  for (const [reason, text] of Object.entries(told)) assert.deepEqual(reasonsIn({ reason }, words), [text])
})

test('a file that cannot be read is told of in the language of the page', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  for (const [file, fields, told] of [
    ['id,AnimalName,Type,Status\nA1,Rex,Dog,A\n', { from: 'petfinder' }, /llame a esa columna «ID»\./],
    ['{', { name: 'a.json', from: 'shelter-manager' }, /No es JSON que se pueda leer\./],
    ['{\n', { name: 'a.ndjson' }, /No es JSON que se pueda leer\./],
    ['[1]\n', { name: 'a.ndjson' }, /No es un animal: /],
    ['ID,AnimalName,Type,Status\nA1,Rex,Dog,Q\n', { from: 'petfinder' }, /Su estado «Q» no se conoce aquí/],
  ] as const) {
    const { text } = await upload(app, ana, file, fields, { 'accept-language': 'es' })
    assert.match(text, told)
    assert.doesNotMatch(text, /JSON \(RFC|must be|was not read/)
  }
})

test('an animal or a file that came before is told without any option of the command', async (t) => {
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
  assert.deepEqual(names, ['Max', 'Kim', 'Ada'], 'the first that come in')
  assert.match(
    shownIn(again)[0] ?? '',
    /^2: It was imported before: it is animal \d+\. Choose “Change animals/,
  )
  assert.match(
    shownIn(await upload(app, ana, file.replace(',A\n', ',Q\n'), from))[0] ?? '',
    /Its status “Q” is none that is known here/,
  )
  const wrong: [file: string, fields: Record<string, string>, told: RegExp][] = [
    [file, {}, /The file looks like an export of another program\. Choose that one under “Where/],
    ['name,category\nRex,Dog\n', from, /The file lacks a column that is needed: ID, /],
    ['{"name":"Rex"}\n', { name: 'a.csv' }, /Let the name end with \.ndjson\./],
    ['PK\x03\x04', {}, /Save the sheet as CSV UTF-8/],
    ['id,AnimalName,Type,Status\nA1,Rex,Dog,A\n', from, /call that column “ID”\./],
    [
      'ID,AnimalName,Type,Status,birth_date\nA2,Rex,Dog,A,31/12/2020\n',
      from,
      /birth_date \(the day comes first\): 1</,
    ],
  ]
  for (const [sent, fields, told] of wrong) {
    const { text } = await upload(app, ana, sent, fields)
    assert.match(text, told)
    assert.doesNotMatch(text, /--[a-z]/)
  }
})
