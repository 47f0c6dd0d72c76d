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

test('the columns of a spreadsheet are guessed, and its cells are read as people write them', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)

  const preview = await upload(app, ana, TABLE, { dayFirst: 'no' })

  const form = formIn(preview.text, COLUMNS)
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((index) => form[`column-${index}`]),
    ['externalId', 'name', 'category', 'sex', 'birthDate', 'weightGrams', 'fee.amount', ''],
  )
  assert.match(preview.text, /<b>2<\/b> added/)
  assert.match(preview.text, /likes &lt;b&gt;fish&lt;\/b&gt;/)
  assert.doesNotMatch(preview.text, /<b>fish/)
  const facts = 'Dog · Not published · Weight: 10 kg (22 lb) · Date of birth: Mar 4, 2020'
  assert.ok(preview.text.includes(`<li><b>Rex</b> <small>${facts}</small></li>`))

  const refreshed = await ana.send(COLUMNS, { ...form, 'column-7': 'staff.notes' })
  assert.equal(formIn(refreshed.text, COLUMNS)['column-7'], 'staff.notes')
  assert.deepEqual(await petsOf(app), [], 'nothing is changed yet')
  const done = await ana.send(CONFIRM, formIn(refreshed.text, COLUMNS))
  assert.match(done.text, /Import finished/)

  const pets = await petsOf(app)
  const rex = pets.find(({ name }: { name: string }) => name === 'Rex')
  assert.deepEqual(
    [rex.sex, rex.birthDate, rex.weightGrams, rex.fee, rex.staff],
    ['female', '2020-03-04', 9979, { amount: 15_000, currency: 'USD' }, { notes: 'likes fish' }],
  )
  const luna = pets.find(({ name }: { name: string }) => name === 'Luna')
  assert.deepEqual(
    [luna.species, luna.sex, luna.weightGrams, luna.fee],
    ['guinea pig', 'male', 1000, undefined],
  )
})

test('a weight takes the unit of its cell, or else of its heading', async (t) => {
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

test('a fee can be “free”, and a date of birth only a month or a year', async (t) => {
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
  assert.match(preview.text, /<b>Pet 0<\/b> <small>[^<]*Date of birth: around Jan 1, 2019</)
  assert.match(preview.text, /<b>15<\/b> added/)
  assert.match(
    preview.text,
    /<li>DOB \(not understood\): “2019-13” on line 9: 5<.*<li>Cost \(not understood\): “freely” on line 15: 1</s,
  )
  const form = { ...formIn(preview.text, COLUMNS), 'column-3': 'birthDateExact' }
  const newPreview = await ana.send(COLUMNS, form)
  assert.match(newPreview.text, /<li>Date of birth is exact \(value not valid\): 2</)
  await ana.send(CONFIRM, formIn(newPreview.text, COLUMNS))

  const pets: { name: string; birthDate: string; birthDateExact: boolean; fee?: object }[] = await petsOf(app)
  const usd = (amount: number) => ({ amount, currency: 'USD' })
  assert.deepEqual(
    pets
      .filter(({ name }) => name.startsWith('Pet '))
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map(({ birthDate, birthDateExact, fee }) => [birthDate, birthDateExact, fee]),
    Object.values(births).map((date, index) => [
      ...[date, date === '2019-06-07'],
      [usd(0), usd(0), usd(0), usd(0), usd(0), undefined, usd(1250)][index],
    ]),
  )
})

test('common headings are recognized; the person chooses for all others', async (t) => {
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
    ...{ Age: 'age', Location: '', Animal: '', '#': '', Comments: 'staff.notes' },
  }
  const names = Object.keys(headings)

  const { text } = await upload(app, ana, `${names.join(',')}\n${names.map(() => 'x').join(',')}\n`)

  const form = formIn(text, COLUMNS)
  assert.deepEqual(
    names.map((_, index) => form[`column-${index}`]),
    Object.values(headings),
  )
})

test('a spreadsheet without a name column cannot be imported until the person chooses one', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const file = '"Who, what, and where";Kind;Sterilised\n"Rex; the dog";Dog;Yes\nLuna;Cat;maybe\n'

  const preview = await upload(app, ana, file)
  assert.match(preview.text, /Choose the column that contains the animals’ names/)
  assert.match(preview.text, /<label for="field-column-0">Who, what, and where<\/label>/)
  assert.doesNotMatch(preview.text, /Import \d+ animal/)

  const form = { ...formIn(preview.text, COLUMNS), 'column-0': 'name', 'column-2': 'traits.spayedNeutered' }
  const refreshed = await ana.send(COLUMNS, form)
  assert.match(refreshed.text, /<b>2<\/b> added/)
  assert.match(refreshed.text, /<li>Sterilised \(not understood\): “maybe” on line 3: 1</)
  await ana.send(CONFIRM, formIn(refreshed.text, COLUMNS))

  const [luna, rex] = await petsOf(app)
  assert.deepEqual([rex.name, rex.traits], ['Rex; the dog', { spayedNeutered: true }])
  assert.deepEqual([luna.name, luna.traits], ['Luna', undefined])
})

test('dates and letters with several meanings: the preview asks, and the answer is used', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const dates = await upload(app, ana, 'name,Species,DOB\nRex,Dog,03/04/2021\n')
  assert.match(dates.text, /What date is “03\/04\/2021” in your file\?/)
  assert.match(dates.text, /<option value="yes">April 3, 2021|<option value="yes">Apr 3, 2021/)
  assert.doesNotMatch(dates.text, /Import 1 animal/)
  const dated = await ana.send(COLUMNS, { ...formIn(dates.text, COLUMNS), dayFirst: 'yes' })
  await ana.send(CONFIRM, formIn(dated.text, COLUMNS))

  const mac = Buffer.from('name,Species\rChlo\x8e,Dog\r', 'latin1')
  const letters = await upload(app, ana, mac)
  assert.match(letters.text, /<option value="macintosh">Chloé</)
  const read = await ana.send(COLUMNS, { ...formIn(letters.text, CONFIRM), encoding: 'macintosh' })
  await ana.send(CONFIRM, formIn(read.text, COLUMNS))

  const pets: { name: string; birthDate?: string }[] = await petsOf(app)
  assert.deepEqual(
    new Map(pets.map(({ name, birthDate }) => [name, birthDate])),
    new Map([
      ['Chloé', undefined],
      ['Rex', '2021-04-03'],
    ]),
  )
})

test('the preview and the result say how the file was read, in the language of the person', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const file = Buffer.from('Our animals,,\nname,Species,DOB\nJos\xe9,Dog,25/12/2021\n', 'latin1')
  const { text } = await upload(app, ana, file)
  assert.match(text, /The file was read as windows-1252, so one of its words is “José”\./)
  assert.match(text, /The day comes first in the dates of Date of birth\./)
  assert.match(text, /Rows without an animal, such as titles and totals, are skipped: 1\./)
  const done = await ana.send(CONFIRM, formIn(text, COLUMNS), { 'accept-language': 'es' })
  assert.match(done.text, /El archivo se leyó como windows-1252; una de sus palabras es «José»\./)
})

test('two columns with the same meaning: the page shows a problem at the field', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const form = formIn((await upload(app, ana, 'name,category,A,B\nRex,Dog,1,2\n')).text, COLUMNS)
  const wrong: [Record<string, string>, RegExp][] = [
    [{ 'column-2': 'sex', 'column-3': 'sex' }, /id="problem-column-3">Sex: you chose this for two columns/],
    [{ 'column-2': 'name' }, /id="problem-column-2">Name: you chose this for two columns/],
    [{ id: '2', source: ' ' }, /id="problem-source">Enter a name for the list/],
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

test('columns changed after the preview are previewed again before the import', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const form = formIn((await upload(app, ana, 'name,category,A\nRex,Dog,calm\n')).text, COLUMNS)

  const newPreview = await ana.send(CONFIRM, { ...form, 'column-2': 'tags' })
  assert.match(newPreview.text, /Import preview/)
  assert.deepEqual(await petsOf(app), [])

  await ana.send(CONFIRM, formIn(newPreview.text, COLUMNS))
  assert.deepEqual((await petsOf(app))[0].tags, ['calm'])
})

test('with an ID column, the next file updates the same animals', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const bring = async (file: string, name: string, fields: Record<string, string> = {}) => {
    const form = formIn((await upload(app, ana, file, { name })).text, COLUMNS)
    const newPreview = await ana.send(COLUMNS, { ...form, id: '0', ...fields })
    return ana.send(CONFIRM, formIn(newPreview.text, COLUMNS))
  }
  const head = 'Tag no,Name,Kind,id\n'

  await bring(`${head}7,Rex,Dog,1\n8,Luna,Cat,2\n`, 'list.csv')
  const again = await bring(`${head}7,Max,Dog,1\n8,Luna,Cat,2\n,Nobody,Cat,\n`, 'list (1).csv')

  assert.match(again.text, /<b>1<\/b> added.*<b>1<\/b> updated.*<b>1<\/b> unchanged.*<b>0<\/b> skipped/s)
  const names = (await petsOf(app)).map(({ name }: { name: string }) => name)
  assert.deepEqual(names.sort(), ['Luna', 'Max', 'Nobody'])
  const other = await bring(`${head}7,Kim,Dog,1\n`, 'list.csv', {
    source: 'another',
    'column-0': 'externalId',
  })
  assert.match(other.text, /<b>1<\/b> added/)
  const kim = (await petsOf(app)).find(({ name }: { name: string }) => name === 'Kim')
  assert.equal(kim.externalId, '7', 'it may hold something else as well')
})

test('a recognized animal number becomes the ID without a choice, also in the next file; littermates may share a number', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const bring = async (file: string, name: string) =>
    ana.send(CONFIRM, formIn((await upload(app, ana, file, { name })).text, COLUMNS))
  const head = 'Animal #,Animal name,Species,Sex\n'

  await bring(`${head}A1,Rex,Dog,M\nA2,Kit,Cat,F\nA2,Kat,Cat,F\n,Ada,Cat,F\n`, 'june.csv')
  const again = await bring(`${head}A1,Rex,Dog,F\nA3,Max,Dog,M\n,Ada,Cat,F\n`, 'july\0 (2).csv')

  assert.match(again.text, /<b>1<\/b> added.*<b>1<\/b> updated.*<b>1<\/b> unchanged.*<b>0<\/b> skipped/s)
  const { db } = await openStore(t, app.databaseUrl)
  const rows = await db.selectFrom('pet_source').select('source').distinct().execute()
  assert.deepEqual(
    rows.map(({ source }) => source),
    ['animals'],
  )
})

test('a file with only known columns: the page asks for the ID column only if a column has numbers', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)

  const withoutIds = await upload(app, ana, 'name,category\nRex,Dog\n')
  assert.doesNotMatch(withoutIds.text, /Columns of your file/)
  const preview = await upload(app, ana, 'id,name,category\n70,Rex,Dog\n')
  assert.match(preview.text, /<details><summary><h2>Columns of your file/, 'folded')
  assert.equal(formIn(preview.text, COLUMNS).id, '0')
})

test('headings are shown as text, and the form accepts no choice for a column that it does not show', async (t) => {
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
  const refreshed = await ana.send(COLUMNS, { ...form, ...odd, id: '99', 'column-7': 'description' })
  const { ticket } = formIn(refreshed.text, COLUMNS)
  assert.deepEqual(formIn(refreshed.text, COLUMNS), { ...form, 'column-7': 'description', ticket })
  await ana.send(CONFIRM, formIn(refreshed.text, COLUMNS))
  const [rex] = await petsOf(app)
  assert.deepEqual([rex.name, rex.description, rex.tags], ['Rex', 'f', undefined])
})

test('a file with very many columns: the page asks about the first 40 columns', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const columns = Array.from({ length: 60 }, (_, index) => `C${index}`)

  const { text } = await upload(app, ana, `${columns.join('\t')}\n${columns.join('\t')}\n`)
  assert.equal(text.match(/<select id="field-column-/g)?.length, 40)
  assert.match(text, /20 more columns are not imported/)

  const most = `${'a,'.repeat(200_000)}a\n`
  const answer = await upload(app, ana, most)
  assert.equal(answer.status, 200)
  assert.doesNotMatch(answer.text, /<select id="field-column-/)
})

test('the columns page is translated, shown only to the person who uploaded the file, and gone after the file was removed', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const [ana, ben] = [await signIn(app), await signIn(app)]
  const spanish = { 'accept-language': 'es' }
  const file = 'Nombre,Especie,Sexo,Fecha de nacimiento,Vacunado\nLuna,Cat,Hembra,2020-01-02,Sí\n'
  const form = formIn((await upload(app, ana, file)).text, COLUMNS)

  const newPreview = await ana.send(COLUMNS, form, spanish)
  assert.match(newPreview.text, /Columnas de su archivo/)
  assert.match(newPreview.text, /<option value="birthDate" selected>Fecha de nacimiento</)
  assert.equal((await ben.send(COLUMNS, form)).status, 400)
  await ana.send(CONFIRM, form)
  assert.equal((await ana.send(COLUMNS, form)).status, 409)
  const [{ name, sex, birthDate, traits }] = await petsOf(app)
  assert.deepEqual([name, sex, birthDate, traits], ['Luna', 'female', '2020-01-02', { vaccinated: true }])
})
