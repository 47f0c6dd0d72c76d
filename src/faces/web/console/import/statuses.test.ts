import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, signIn, unescaped } from '../../../../testing/console.ts'
import { startApp, type TestApp } from '../../../../testing/start-app.ts'
import { upload } from '../../../../testing/upload.ts'

const COLUMNS = '/console/import/columns'
const CONFIRM = '/console/import/confirm'

/** The statuses on a page: word and count, and the chosen result. */
const statusesOn = (page: string) =>
  [...page.matchAll(/<li><(?:label|span)[^>]*>(.*?)<\/(?:label|span)>(.*?)<\/li>/gs)].map(
    ([, word = '', result = '']) => [
      unescaped(word.replaceAll(/<[^>]*>/g, '')),
      /selected>([^<]*)</.exec(result)?.[1] ?? result,
    ],
  )

const statusesIn = async (app: TestApp) =>
  Object.fromEntries(
    (await app.get('/v1/pets')).body.map(({ name, status }: { name: string; status?: string }) => [
      name,
      status,
    ]),
  )

test('the preview of an import lists every status, and the choices of the person are imported', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const words = ['Available', 'Hold - Bite Q', 'hold - bite q', 'Ready <& go', 'Adoption Pending', 'Deceased']
  const animals = words.map((Status, ID) => ({ ID, Name: `Pet ${ID}`, Type: 'Dog', Status }))
  const fields = { from: 'shelterluv', name: 'page.json' }

  const preview = await upload(app, ana, JSON.stringify({ animals }), fields)

  assert.deepEqual(statusesOn(preview.text), [
    ['Hold - Bite Q 2 animals · Not recognized', 'Not published'],
    ['Ready <& go 1 animal · Not recognized', 'Not published'],
    ['Available 1 animal', 'Available'],
    ['Adoption Pending 1 animal', 'Reserved'],
    ['Deceased 1 animal', 'Skipped: has died'],
  ])
  assert.doesNotMatch(preview.text, /Ready <&/)

  const form = formIn(preview.text, CONFIRM)
  const refreshed = await ana.send(COLUMNS, {
    ...form,
    'status:ready<&go': 'available',
    'status:available': '',
  })
  assert.deepEqual(statusesOn(refreshed.text)[2], ['Ready <& go 1 animal', 'Available'], 'now it is known')
  assert.deepEqual(await statusesIn(app), {}, 'nothing is changed yet')

  const choices = { 'status:adoptionpending': 'unlisted', 'status:available': 'lost' }
  const done = await ana.send(CONFIRM, { ...formIn(refreshed.text, CONFIRM), ...choices })
  assert.deepEqual(statusesOn(done.text)[0], [
    'Hold - Bite Q 2 animals · Not recognized',
    '<span>Not published</span>',
  ])
  assert.deepEqual(await statusesIn(app), {
    ...{ 'Pet 0': 'available', 'Pet 1': undefined, 'Pet 2': undefined, 'Pet 3': 'available' },
    'Pet 4': undefined,
  })
})

test('choosing the columns of a spreadsheet keeps the choices for its statuses', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const file = 'Name,Species,State\nRex,Dog,Medical Hold\nMax,Dog,\nAda,Dog,Disponible\n'
  const preview = await upload(app, ana, file, {}, { 'accept-language': 'es' })
  assert.deepEqual(statusesOn(preview.text), [['not for adoption 1 animal', 'Sin publicar']], 'the hold')

  const columns = { ...formIn(preview.text, COLUMNS), 'column-2': 'status' }
  const { text } = await ana.send(COLUMNS, columns, { 'accept-language': 'es' })
  assert.deepEqual(statusesOn(text), [
    ['Medical Hold 1 animal · No se reconoce', 'Sin publicar'],
    ['(sin estado) 1 animal · No se reconoce', 'Sin publicar'],
    ['Disponible 1 animal', 'Disponible'],
  ])

  const changed = { ...formIn(text, COLUMNS), source: 'list', 'status:': 'pending', 'status:medicalhold': '' }
  const again = await ana.send(CONFIRM, changed)
  assert.deepEqual(statusesOn(again.text)[1], ['(no status) 1 animal', 'Reserved'], 'a new preview')
  await ana.send(CONFIRM, formIn(again.text, COLUMNS))
  assert.deepEqual(await statusesIn(app), { Rex: undefined, Max: 'pending', Ada: 'available' })
})

test('the preview and the result name the animals that are not published because a partner is missing', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const rows = ['Salt,Cat,Available,Pepper', 'Pepper,Cat,Available,', 'Half <1>,Dog,Available,Ghost']
  const preview = await upload(app, ana, ['Name,Species,Status,Bonded with', ...rows].join('\n'), {})
  const named =
    /missing or on hold: 1\.<\/p><ul><li>Half &lt;1&gt; <small>Line 4<\/small><br>[^<]* imported: Ghost\.<\/li><\/ul>/
  assert.match(preview.text, named)
  assert.doesNotMatch(preview.text, /Skipped rows/)
  const done = await ana.send(CONFIRM, formIn(preview.text, CONFIRM))
  assert.match(done.text, named)
  assert.deepEqual(await statusesIn(app), { Salt: 'available', Pepper: 'available', 'Half <1>': undefined })
})

test('a file that cannot be read, or needs an answer first, shows no numbers', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const dates = 'Name,Species,Status,DOB\nRex,Dog,Available,3/4/2021\n'
  const { text } = await upload(app, ana, dates, {})
  assert.match(text, /Answer the question, then see the preview/)
  const program = await upload(app, ana, 'ANIMALCODE,ANIMALNAME,ANIMALSPECIES,MOVEMENTTYPE\n1,Rex,Dog,\n', {})
  assert.match(program.text, /cannot be imported like this.*another program/s)
  for (const page of [text, program.text]) assert.doesNotMatch(page, /class="numbers"|numbers and examples/)
})
