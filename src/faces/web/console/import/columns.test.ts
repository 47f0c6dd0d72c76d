import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, signIn, unescaped } from '../../../../testing/console.ts'
import { openStore } from '../../../../testing/import-lines.ts'
import { startApp, type TestApp } from '../../../../testing/start-app.ts'
import { upload } from '../../../../testing/upload.ts'

const COLUMNS = '/console/import/columns'
const CONFIRM = '/console/import/confirm'

const TABLE = `Animal #,Name,Species,Gender,Date of birth,Weight,Fee,Notes of Ana
A1,Rex,Dog,Female,03/04/2020,22 lb,150,likes <b>fish</b>
A2,Luna,guinea pig,M,2021-05-06,1,,
`

const petsOf = async (app: TestApp) => (await app.get('/v1/pets?fields=*&order=id')).body

test('a table of a shelter is shown with its columns guessed, and comes in as people wrote it', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)

  const preview = await upload(app, ana, TABLE)

  const form = formIn(preview.text, COLUMNS)
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((index) => form[`column-${index}`]),
    ['externalId', 'name', 'category', 'sex', 'birthDate', 'weightGrams', 'fee.amount', ''],
  )
  assert.match(preview.text, /<b>2<\/b> added/)
  assert.match(preview.text, /likes &lt;b&gt;fish&lt;\/b&gt;/)
  assert.doesNotMatch(preview.text, /<b>fish/)
  const facts = 'Dog · Not published · Weight in kg: 9.979 · Birth date: Mar 4, 2020'
  assert.ok(preview.text.includes(`<li><b>Rex</b> <small>${facts}</small></li>`))

  const anew = await ana.send(COLUMNS, { ...form, 'column-7': 'staff.notes' })
  assert.equal(formIn(anew.text, COLUMNS)['column-7'], 'staff.notes')
  assert.deepEqual(await petsOf(app), [], 'nothing is changed yet')
  const done = await ana.send(CONFIRM, formIn(anew.text, COLUMNS))
  assert.match(done.text, /The import is done/)

  const pets = await petsOf(app)
  const rex = pets.find(({ name }: { name: string }) => name === 'Rex')
  assert.deepEqual(
    [rex.sex, rex.birthDate, rex.weightGrams, rex.fee, rex.staff],
    ['female', '2020-03-04', 9979, { amount: 15_000, currency: 'USD' }, { notes: 'likes <b>fish</b>' }],
  )
  const luna = pets.find(({ name }: { name: string }) => name === 'Luna')
  assert.deepEqual(
    [luna.species, luna.sex, luna.weightGrams, luna.fee],
    ['guinea pig', 'male', 1000, undefined],
  )
})

test('a weight is of the unit that its heading tells, unless its cell tells another', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const weights = async (heading: string, fields: Record<string, string> = {}) => {
    const file = `name,category,${heading}\nRex,Dog,22\nLuna,Dog,3 kg\n`
    const form = formIn((await upload(app, ana, file, fields)).text, COLUMNS)
    assert.equal(form['column-2'], 'weightGrams', heading)
    await ana.send(CONFIRM, form)
    const pets = await petsOf(app)
    for (const { id } of pets) await app.request(`/v1/pets/${id}`, { method: 'DELETE' })
    return Object.fromEntries(
      pets.map((pet: { name: string; weightGrams: number }) => [pet.name, pet.weightGrams]),
    )
  }

  for (const heading of ['Weight (lbs)', 'Weight lb', 'weight (Pounds)', 'WEIGHT_LBS', 'Peso (libras)'])
    assert.deepEqual(await weights(heading), { Rex: 9979, Luna: 3000 }, heading)
  for (const heading of ['Weight (kg)', 'Weight in kg'])
    assert.deepEqual(await weights(heading, { pounds: 'yes' }), { Rex: 22_000, Luna: 3000 }, heading)
  assert.deepEqual(await weights('Weight'), { Rex: 22_000, Luna: 3000 })
  assert.deepEqual(await weights('Peso', { pounds: 'yes' }), { Rex: 9979, Luna: 3000 })
})

test('a fee may be free, and a birth date only a month or a year', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const births = {
    ...{ '2019': '2019-01-01', '2019-06': '2019-06-01', '06/2019': '2019-06-01', 'June 2019': '2019-06-01' },
    ...{ 'sept. 2019': '2019-09-01', 'enero de 2019': '2019-01-01', '2019-06-07': '2019-06-07' },
  }
  const fees = ['free', 'FREE', 'gratis', '0', '0.00', '', '12.50']
  const lines = Object.keys(births).map((birth, index) => `Pet ${index},Dog,${birth},yes,${fees[index]}\n`)
  const wrong = ['2019-13', '13/2019', 'Smarch 2019', '1949', '20190', 'freedom 2019'].map(
    (birth, index) => `No ${index},Dog,${birth},,\n`,
  )
  const file = `name,category,DOB,Exact,Cost\n${[...lines, ...wrong].join('')}No,Dog,,,freely\nNo,Dog,,no,\n`

  const preview = await upload(app, ana, file)
  assert.match(preview.text, /<b>Pet 0<\/b> <small>[^<]*Birth date: about Jan 1, 2019</)
  assert.match(preview.text, /“2019-13” is no day.*“1949-01-01” is no day.*“freely” is no amount/s)
  const form = { ...formIn(preview.text, COLUMNS), 'column-3': 'birthDateExact' }
  const shown = await ana.send(COLUMNS, form)
  assert.match(shown.text, /It says whether the birth date is exact, and has no birth date\./)
  await ana.send(CONFIRM, formIn(shown.text, COLUMNS))

  const pets: { name: string; birthDate: string; birthDateExact: boolean; fee?: object }[] = await petsOf(app)
  const usd = (amount: number) => ({ amount, currency: 'USD' })
  assert.deepEqual(
    pets
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map(({ birthDate, birthDateExact, fee }) => [birthDate, birthDateExact, fee]),
    Object.values(births).map((date, index) => [
      ...[date, date === '2019-06-07'],
      [usd(0), usd(0), usd(0), usd(0), usd(0), undefined, usd(1250)][index],
    ]),
  )
})

test('plain headings are known in the words of people, and others are left to them', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const headings = {
    ...{ "Pet's name": 'name', 'M/F': 'sex', 'Animal #': 'externalId', 'Fixed?': 'traits.spayedNeutered' },
    ...{
      Cost: 'fee.amount',
      Story: 'description',
      'Chip #': 'staff.microchip',
      'Kids OK?': 'goodWith.children',
    },
    ...{ Age: '', Location: '', Animal: '', '#': '', Comments: '' },
  }
  const names = Object.keys(headings)

  const { text } = await upload(app, ana, `${names.join(',')}\n${names.map(() => 'x').join(',')}\n`)

  const form = formIn(text, COLUMNS)
  assert.deepEqual(
    names.map((_, index) => form[`column-${index}`]),
    Object.values(headings),
  )
})

test('a table without a column for the names waits until somebody says which it is', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const file = '"Who, what, and where";Kind;Sterilised\n"Rex; the dog";Dog;Yes\nLuna;Cat;?\n'

  const preview = await upload(app, ana, file)
  assert.match(preview.text, /Choose the column that holds the names/)
  assert.match(preview.text, /<label for="field-column-0">Who, what, and where<\/label>/)
  assert.doesNotMatch(preview.text, /Import \d+ animal/)

  const form = { ...formIn(preview.text, COLUMNS), 'column-0': 'name', 'column-2': 'traits.spayedNeutered' }
  const anew = await ana.send(COLUMNS, form)
  assert.match(anew.text, /<b>1<\/b> added/)
  assert.match(
    anew.text,
    /<td>3<\/td><td>Spayed or neutered: “\?” is neither/,
    'what is not understood is refused in words',
  )
  await ana.send(CONFIRM, formIn(anew.text, COLUMNS))

  const [rex, ...others] = await petsOf(app)
  assert.deepEqual([rex.name, rex.traits], ['Rex; the dog', { spayedNeutered: true }])
  assert.deepEqual(others, [])
})

test('two columns for one thing are refused at the field', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const form = formIn((await upload(app, ana, 'name,category,A,B\nRex,Dog,1,2\n')).text, COLUMNS)
  const wrong: [Record<string, string>, RegExp][] = [
    [{ 'column-2': 'description', 'column-3': 'description' }, /id="problem-column-3">Description: another/],
    [{ 'column-2': 'name' }, /id="problem-column-2">Name: another/],
    [{ id: '2', source: ' ' }, /id="problem-source">The name of the list/],
    [{ id: '2', source: 'x'.repeat(101) }, /id="problem-source">/],
  ]
  for (const [fields, message] of wrong) {
    for (const path of [COLUMNS, CONFIRM]) {
      const answer = await ana.send(path, { ...form, ...fields })
      assert.equal(answer.status, 400)
      assert.match(answer.text, message)
      assert.doesNotMatch(answer.text, /Import 1 animal/)
    }
  }
  assert.deepEqual(await petsOf(app), [])
})

test('what was chosen after the preview is shown before it is done', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const form = formIn((await upload(app, ana, 'name,category,A\nRex,Dog,calm\n')).text, COLUMNS)

  const shown = await ana.send(CONFIRM, { ...form, 'column-2': 'tags' })
  assert.match(shown.text, /This would happen/)
  assert.deepEqual(await petsOf(app), [])

  await ana.send(CONFIRM, formIn(shown.text, COLUMNS))
  assert.deepEqual((await petsOf(app))[0].tags, ['calm'])
})

test('a column that tells the animals apart lets the next file change them', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const bring = async (file: string, name: string, fields: Record<string, string> = {}) => {
    const form = formIn((await upload(app, ana, file, { name })).text, COLUMNS)
    const shown = await ana.send(COLUMNS, { ...form, id: '0', ...fields })
    return ana.send(CONFIRM, formIn(shown.text, COLUMNS))
  }
  const head = 'Tag no,Name,Kind,id\n'

  await bring(`${head}7,Rex,Dog,1\n8,Luna,Cat,2\n`, 'list.csv')
  const again = await bring(`${head}7,Max,Dog,1\n8,Luna,Cat,2\n,Nobody,Cat,\n`, 'list (1).csv')

  assert.match(again.text, /<b>1<\/b> changed.*<b>1<\/b> as before.*<b>1<\/b> refused/s)
  const names = (await petsOf(app)).map(({ name }: { name: string }) => name)
  assert.deepEqual(names.sort(), ['Luna', 'Max'])
  const other = await bring(`${head}7,Kim,Dog,1\n`, 'list.csv', {
    source: 'another',
    'column-0': 'externalId',
  })
  assert.match(other.text, /<b>1<\/b> added/)
  const kim = (await petsOf(app)).find(({ name }: { name: string }) => name === 'Kim')
  assert.equal(kim.externalId, '7', 'it may hold something else as well')
})

test('the name of a file gives its list a name that every store takes', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  // PostgreSQL takes no NUL in a text; neither store keeps half of a surrogate pair as it is.
  const cut = 'x'.repeat(99)
  const names = { 'a\0b.csv': 'ab', '\x01\x85c.csv': 'c', [`${cut}🐕.csv`]: `${cut}\ufffd` }
  for (const [index, [name, source]] of Object.entries(names).entries()) {
    const preview = await upload(app, ana, `id,name,category\na${index},Rex,Dog\n`, { name, update: 'yes' })
    assert.equal(preview.status, 200, JSON.stringify(name))
    const form = formIn(preview.text, COLUMNS)
    assert.equal(form.source, source)
    const shown = await ana.send(COLUMNS, { ...form, id: '0' })
    assert.match((await ana.send(CONFIRM, formIn(shown.text, COLUMNS))).text, /<b>1<\/b> added/)
  }

  const { db } = await openStore(t, app.databaseUrl)
  const kept = await db.selectFrom('pet_source').select('source').orderBy('source').execute()
  assert.deepEqual(
    kept.map(({ source }) => source),
    Object.values(names).sort(),
  )
})

test('a file whose columns all are known asks for one only where animals are to be changed', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const file = 'id,name,category\n70,Rex,Dog\n'

  assert.doesNotMatch((await upload(app, ana, file)).text, /Columns of your file/)
  const preview = await upload(app, ana, file, { update: 'yes' })
  const shown = await ana.send(COLUMNS, { ...formIn(preview.text, COLUMNS), id: '0' })
  assert.match(shown.text, /<b>1<\/b> added/)
  assert.equal(formIn(shown.text, COLUMNS).id, '0')
})

test('headings of any kind are text, and a form can say nothing of other columns', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const headings =
    '__proto__,constructor,toString,,name,name,"<script>alert(1)</script>",hasOwnProperty,Kind,'
  const file = `${headings}\n"<i>",b,c,d,Rex,Max,e,f,Dog,\n`

  const preview = await upload(app, ana, file)

  assert.equal(preview.status, 200)
  assert.match(preview.text, /<b>1<\/b> added/)
  assert.doesNotMatch(preview.text, /<script>alert|<i>/)
  const labels = [...preview.text.matchAll(/<label for="field-column-\d+">([^<]*)</g)].map(
    ([, text = '']) => text,
  )
  assert.deepEqual(labels.map(unescaped), [
    ...['__proto__', 'constructor', 'toString', 'Column 4', 'name (Column 6)'],
    ...['<script>alert(1)</script>', 'hasOwnProperty', 'Kind'],
  ])
  const form = formIn(preview.text, COLUMNS)
  const odd = { 'column-0': '__proto__', 'column-1': 'constructor', 'column-2': 'id', 'column-99': 'tags' }
  const anew = await ana.send(COLUMNS, { ...form, ...odd, id: '99', 'column-7': 'description' })
  const { ticket } = formIn(anew.text, COLUMNS)
  assert.deepEqual(formIn(anew.text, COLUMNS), { ...form, 'column-7': 'description', ticket })
  await ana.send(CONFIRM, formIn(anew.text, COLUMNS))
  const [rex] = await petsOf(app)
  assert.deepEqual([rex.name, rex.description, rex.tags], ['Rex', 'f', undefined])
})

test('of very many columns the first are asked for', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const columns = Array.from({ length: 60 }, (_, index) => `C${index}`)

  const { text } = await upload(app, ana, `${columns.join('\t')}\n${columns.join('\t')}\n`)
  assert.equal(text.match(/<select id="field-column-/g)?.length, 40)
  assert.match(text, /20 more columns are left out/)

  const most = `${'a,'.repeat(200_000)}a\n`
  const answer = await upload(app, ana, most)
  assert.equal(answer.status, 200)
  assert.doesNotMatch(answer.text, /<select id="field-column-/)
})

test('the columns of a file are asked for in Spanish, of its owner alone, as long as it is there', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const [ana, ben] = [await signIn(app), await signIn(app)]
  const spanish = { 'accept-language': 'es' }
  const file = 'Nombre,Especie,Sexo,Fecha de nacimiento,Vacunado\nLuna,Cat,Hembra,2020-01-02,Sí\n'
  const form = formIn((await upload(app, ana, file)).text, COLUMNS)

  const shown = await ana.send(COLUMNS, form, spanish)
  assert.match(shown.text, /Columnas de su archivo/)
  assert.match(shown.text, /<option value="birthDate" selected>Fecha de nacimiento</)
  assert.equal((await ben.send(COLUMNS, form)).status, 400)
  await ana.send(CONFIRM, form)
  assert.equal((await ana.send(COLUMNS, form)).status, 409)
  const [{ name, sex, birthDate, traits }] = await petsOf(app)
  assert.deepEqual([name, sex, birthDate, traits], ['Luna', 'female', '2020-01-02', { vaccinated: true }])
})
