import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formIn, signIn, unescaped } from '../../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'
import { FORM_FIELDS, schemaOf } from './form.ts'

const NEW = '/console/animals/new'

/** A value for every field. */
const WHOLE: Record<string, string> = {
  name: 'Luna',
  categoryId: '2',
  sex: 'female',
  'breed.primary': 'Siamese',
  'breed.secondary': 'Persian',
  'breed.mixed': 'yes',
  'breed.unknown': 'yes',
  birthDate: '2024-03-01',
  age: '',
  birthDateExact: 'yes',
  description: 'Calm.\r\nLoves sun.',
  'goodWith.children': 'yes',
  'goodWith.dogs': 'no',
  'goodWith.cats': '',
  'traits.houseTrained': 'yes',
  tags: 'calm, lap cat,',
  size: 'small',
  coat: 'short',
  colors: 'Cream, Brown',
  weightGrams: '3,75',
  species: '',
  videos: 'https://videos.example/1\r\nhttps://videos.example/2',
  'traits.vaccinated': 'yes',
  'traits.spayedNeutered': 'yes',
  'traits.specialNeeds': 'no',
  'traits.declawed': 'no',
  'fee.amount': '80.50',
  'fee.currency': 'eur',
  bondedWith: '',
  'contact.name': 'Front desk',
  'contact.email': 'desk@shelter.example',
  'contact.phone': '555 0100',
  'place.city': 'Denver',
  'place.region': 'CO',
  'place.postcode': '80202',
  'place.country': 'us',
  'place.latitude': '',
  'place.longitude': '',
  externalId: 'L-7',
  'staff.microchip': '985 1',
  'staff.intakeDate': '2026-11-01',
  'staff.intakeKind': 'stray',
  'staff.intakeNote': 'Found at the lake.',
  'staff.kennel': 'B4',
  'staff.notes': 'Likes fish.',
  'staff.fosterName': 'Sam Foster',
  'staff.fosterEmail': 'sam@foster.example',
  'staff.fosterPhone': '555 0101',
}

test('POST /console/animals/new adds the same animal as the API, published if the box is checked', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)

  const added = await ana.fill(NEW, { ...WHOLE, status: 'available' })

  assert.deepEqual([added.status, added.headers.location], [303, '/console/animals/1?done=added'])
  const [pet] = (await app.get('/v1/pets')).body
  assert.deepEqual(pet, {
    id: 1,
    name: 'Luna',
    categoryId: 2,
    status: 'available',
    externalId: 'L-7',
    breed: { primary: 'Siamese', secondary: 'Persian', mixed: true, unknown: true },
    colors: ['Cream', 'Brown'],
    coat: 'short',
    birthDate: '2024-03-01',
    birthDateExact: true,
    age: 'young',
    sex: 'female',
    size: 'small',
    weightGrams: 3750,
    description: 'Calm.\nLoves sun.',
    traits: {
      spayedNeutered: true,
      houseTrained: true,
      declawed: false,
      specialNeeds: false,
      vaccinated: true,
    },
    goodWith: { children: true, dogs: false },
    tags: ['calm', 'lap cat'],
    fee: { amount: 8050, currency: 'EUR' },
    videos: ['https://videos.example/1', 'https://videos.example/2'],
    contact: { name: 'Front desk', email: 'desk@shelter.example', phone: '555 0100' },
    place: pet.place,
    staff: {
      microchip: '985 1',
      intakeDate: '2026-11-01',
      intakeKind: 'stray',
      intakeNote: 'Found at the lake.',
      kennel: 'B4',
      notes: 'Likes fish.',
      fosterName: 'Sam Foster',
      fosterEmail: 'sam@foster.example',
      fosterPhone: '555 0101',
    },
  })
  // The coordinates of the postcode, as in the API.
  assert.equal(typeof pet.place.latitude, 'number')
})

test('weights with a unit and fees with a sign are read as in an import', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  const ana = await signIn(app)
  const fee = { 'fee.currency': 'usd' }
  for (const [weightGrams, grams, amount, cents] of [
    ['60 lb', 27_216, '$150', 15_000],
    ['22.5 lbs.', 10_206, 'US$1,250', 125_000],
    ['3,75', 3_750, '150 €', 15_000],
    ['3,755 kg', 3_755, '1.250,50', 125_050],
    ['0,755', 755, '0,5', 50],
    ['12 oz', 340, '0', 0],
    ['1,100 lb', 498_952, '$ 20', 2_000],
  ] as const) {
    const { headers } = await ana.fill(NEW, {
      name: 'Rex',
      categoryId: '1',
      weightGrams,
      'fee.amount': amount,
      ...fee,
    })
    const id = /animals\/(\d+)\?/.exec(String(headers.location))?.[1]
    const pet = (await app.get(`/v1/pets/${id}`)).body
    assert.deepEqual([pet.weightGrams, pet.fee?.amount], [grams, cents], `${weightGrams}, ${amount}`)
    // The form reads back the text that it shows as the same value.
    await ana.fill(`/console/animals/${id}`, { name: 'Max' })
    const after = (await app.get(`/v1/pets/${id}`)).body
    assert.deepEqual([after.weightGrams, after.fee?.amount], [grams, cents])
  }
  const { status, text } = await ana.fill(NEW, {
    name: 'Rex',
    categoryId: '1',
    weightGrams: '7 stone',
    'fee.amount': '150 ¤',
    ...fee,
  })
  assert.equal(status, 400)
  for (const name of ['weightGrams', 'fee.amount']) assert.ok(text.includes(`id="problem-${name}"`), name)
})

test('an unknown sex is one choice in the form, which leaves a stored "unknown" unchanged', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, sex: 'unknown' })
  const offered = async (path: string, headers = {}) => {
    const [select = ''] =
      /<select id="field-sex".*?<\/select>/s.exec((await ana.get(path, headers)).text) ?? []
    return [...select.matchAll(/value="([^"]*)"[^>]*>([^<]*)</g)].map(([, ...choice]) => choice.join(': '))
  }
  const both = ['female: Female', 'male: Male']
  assert.deepEqual(await offered(NEW), [': Not known', ...both])
  assert.deepEqual(await offered('/console/animals/1'), ['unknown: Not known', ...both])

  await ana.fill('/console/animals/1', { name: 'Max' })
  const { name, sex } = (await app.get('/v1/pets/1')).body
  assert.deepEqual([name, sex], ['Max', 'unknown'])
})

test('POST /console/animals/new with invalid fields shows problems at the fields, which keep their text', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const wrong = {
    name: '',
    categoryId: '999',
    birthDate: '2039-01-01',
    weightGrams: 'heavy',
    colors: 'a, b, c, d',
    'fee.amount': '10',
    'contact.email': 'nobody',
    'place.country': 'XX',
    description: 'What was typed.',
    'staff.kennel': 'k'.repeat(61),
  }

  const { status, text } = await ana.fill(NEW, wrong)

  assert.equal(status, 400)
  const named = ['name', 'categoryId', 'birthDate', 'weightGrams', 'colors', 'fee.currency', 'contact.email']
  for (const name of [...named, 'place.country', 'staff.kennel']) {
    assert.ok(text.includes(`href="#field-${name}"`), name)
    assert.ok(text.includes(`id="problem-${name}"`), name)
  }
  const form = formIn(text, NEW)
  assert.equal(form.description, 'What was typed.')
  assert.equal(form.weightGrams, 'heavy')
  assert.deepEqual((await app.get('/v1/pets')).body, [])

  const spanish = await ana.send(NEW, { name: '' }, { 'accept-language': 'es' })
  assert.match(spanish.text, /Rellene este campo: Nombre\./)

  const planned = { name: 'Rex', categoryId: '1', 'staff.intakeDate': '2039-01-01' }
  assert.match(
    (await ana.fill(NEW, planned)).text,
    /Intake date must be a date from 1950 to a year from today\./,
  )
  const { status: added } = await ana.fill(NEW, { ...planned, 'staff.intakeDate': '2027-06-01' })
  assert.equal(added, 303)
})

test('"Save and add another" leads to an empty form with the same type', async (t) => {
  const app = await startApp(t)
  const ana = await signIn(app)
  const { headers } = await ana.fill(NEW, {
    name: 'Rex',
    categoryId: '2',
    status: 'available',
    next: 'another',
  })

  const form = formIn((await ana.get(String(headers.location))).text, NEW)

  assert.deepEqual([form.name, form.categoryId, form.status], ['', '2', 'available'])
})

test('the same form sent several times at once adds one animal; the same edit sent twice changes it once', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const ana = await signIn(app)
  const form = { ...formIn((await ana.get(NEW)).text, NEW), name: 'Rex', categoryId: '1' }

  const answers = await Promise.all([ana.send(NEW, form), ana.send(NEW, form), ana.send(NEW, form)])

  for (const { status, headers } of [...answers, await ana.send(NEW, form)])
    assert.deepEqual([status, headers.location], [303, '/console/animals/1?done=added'])
  assert.equal((await app.get('/v1/pets')).body.length, 1)

  const other = await ana.send(NEW, { ...form, name: 'Max' })
  assert.equal(other.status, 422)
  assert.match(other.text, /already saved with different content/)

  const path = '/console/animals/1'
  const edit = { ...formIn((await ana.get(path)).text, path), name: 'Rexy' }
  for (const { status, headers } of await Promise.all([ana.send(path, edit), ana.send(path, edit)]))
    assert.deepEqual([status, headers.location], [303, `${path}?done=saved`])
  assert.equal((await app.get('/v1/pets/1/history')).body.length, 1)
})

test('POST /console/animals/1 changes only the edited fields, and removes cleared values', async (t) => {
  const app = await startApp(t)
  const whole = {
    ...{ name: 'Rex', categoryId: 1, status: 'available', sex: 'male', weightGrams: 12_345 },
    breed: { primary: 'Boxer', mixed: false },
    description: ' Spaces at both ends.\r\nAnd lines. ',
    tags: ['a, b', 'c'],
    fee: { amount: 1_000, currency: 'JPY' },
    staff: { notes: 'old', kennel: 'A1' },
  }
  await app.post('/v1/pets', whole)
  const ana = await signIn(app)
  const path = '/console/animals/1'

  const same = await ana.fill(path, {})
  assert.equal(same.headers.location, `${path}?done=unchanged`)
  assert.deepEqual((await app.get('/v1/pets/1/history')).body, [])

  const saved = await ana.fill(path, { sex: '', 'staff.kennel': '', 'staff.notes': 'new', 'fee.amount': '' })
  assert.equal(saved.headers.location, `${path}?done=saved`)

  const [{ changes }] = (await app.get('/v1/pets/1/history')).body
  assert.deepEqual(Object.keys(changes).sort(), ['fee', 'sex', 'staff'])
  const [pet] = (await app.get('/v1/pets')).body
  const { sex: _, fee: __, ...left } = whole
  assert.deepEqual(pet, { id: 1, ...left, staff: { notes: 'new' } })
  const page = unescaped((await ana.get(path)).text)
  assert.match(page, /Ana Ruiz/)
  assert.match(page, /Kennel: <del>A1<\/del> → <ins>empty<\/ins>/)
})

test('two people change the same field: the second gets 412 with both versions, and nothing is lost', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, sex: 'male', description: 'Old.' })
  const [ana, ben] = [await signIn(app), await signIn(app, { name: 'Ben Cole' })]
  const path = '/console/animals/1'
  const initial = formIn((await ana.get(path)).text, path)
  await ben.fill(path, { name: 'Rex of Ben', size: 'large' })

  // Different fields: both changes are saved.
  assert.equal((await ana.send(path, { ...initial, sex: 'female' })).headers.location, `${path}?done=saved`)
  const clash = await ana.send(path, { ...initial, name: 'Rex of Ana', description: 'New.' })

  assert.equal(clash.status, 412)
  const text = unescaped(clash.text)
  assert.match(text, /Someone else changed this animal while you were editing/)
  assert.match(text, /<td>Rex of Ben<\/td><td>Rex of Ana<\/td>/)
  const form = formIn(clash.text, path)
  assert.deepEqual(
    [form.name, form.description, form.size, form.sex],
    ['Rex of Ana', 'New.', 'large', 'female'],
    'the form has the typed texts and the saved ones of the other person',
  )
  assert.equal((await app.get('/v1/pets')).body[0].name, 'Rex of Ben', 'nothing is saved yet')
  assert.equal((await ana.send(path, form)).headers.location, `${path}?done=saved`)
  const { name, description, size, sex } = (await app.get('/v1/pets')).body[0]
  assert.deepEqual([name, description, size, sex], ['Rex of Ana', 'New.', 'large', 'female'])
})

test('status buttons publish, reserve and mark as adopted; an impossible change: 409 with a message', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const ana = await signIn(app)
  const path = '/console/animals/1'
  const move = (status: string, more = {}) => ana.send(`${path}/status`, { status, ...more })

  assert.equal((await move('available')).headers.location, `${path}?done=available`)
  assert.equal((await move('available')).status, 303, 'the same status again is no error')
  assert.equal((await move('sold')).status, 303)
  assert.match((await ana.get(path)).text, /already adopted/)
  const refused = await move('pending')
  assert.equal(refused.status, 409)
  assert.match(refused.text, /role="alert">The status of this animal has changed/)
  assert.equal((await move('nothing')).status, 400)
  const back = await move('available', { to: '/console/animals?status=sold' })
  assert.equal(back.headers.location, '/console/animals?status=sold&done=available&published=1')
  assert.match(String((await move('sold', { to: '//elsewhere.example' })).headers.location), /^\/console\//)
})

test('an animal is removed after a confirmation, but not while it has an open order', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  const order = { petId: 1, adopter: { name: 'Kim Doe', email: 'kim@doe.example' } }
  await app.post('/v1/store/orders', order)
  const ana = await signIn(app)
  const path = '/console/animals/1/delete'
  assert.match((await ana.get(path)).text, /Remove Rex\?/)

  const refused = await ana.send(path, {})
  assert.equal(refused.status, 409)
  assert.match(refused.text, /This animal has an open adoption/)
  const cancelled = await ana.send('/console/animals/1/orders/1', { status: 'cancelled' })
  assert.equal(cancelled.headers.location, '/console/animals/1?done=cancelled#orders')
  for (let count = 0; count < 2; count += 1) {
    const { status, headers } = await ana.send(path, {})
    assert.deepEqual([status, headers.location], [303, `/console/animals?done=${count ? 'gone' : 'deleted'}`])
  }
  assert.deepEqual((await app.get('/v1/pets')).body, [])
})

test('the page of an animal shows orders to staff, who decide on them, but not to viewers', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' })
  const adopter = { name: 'Kim Doe', email: 'kim@doe.example', message: 'We have a garden.' }
  await app.post('/v1/store/orders', { petId: 1, adopter })
  const [ana, vic] = [await signIn(app), await signIn(app, { role: 'viewer' })]
  const path = '/console/animals/1'

  assert.match((await ana.get(path)).text, /kim@doe\.example.*We have a garden\./s)
  assert.doesNotMatch((await vic.get(path)).text, /Kim Doe|garden/)
  for (const status of ['approved', 'completed'])
    assert.equal((await ana.send(`${path}/orders/1`, { status })).status, 303, status)
  assert.equal((await app.get('/v1/pets')).body[0].status, 'sold')
  assert.equal((await ana.send(`${path}/orders/1`, { status: 'approved' })).status, 409)
})

test('hostile text in any field is escaped wherever it is shown', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app, { name: '<img src=x onerror=alert(1)>' })
  const hostile = `"><script>alert(1)</script>'<img src=x onerror=alert(1)>`
  const kinds = new Set(['line', 'text', 'list'])
  const fields = FORM_FIELDS.filter(({ kind }) => kinds.has(kind)).map(({ name }) => [
    name,
    hostile.slice(0, schemaOf(name).maxLength ?? 40),
  ])
  const typed = { ...Object.fromEntries(fields), categoryId: '1' }
  const { headers } = await ana.fill(NEW, typed)
  assert.match(String(headers.location), /done=added/)
  await ana.fill('/console/animals/1', { description: `${hostile} again` })
  const every = Object.fromEntries(FORM_FIELDS.map(({ name }) => [name, hostile]))
  const pages = [
    await ana.get('/console/animals/1'),
    await ana.get('/console/animals/1/delete'),
    await ana.get(`/console/animals?q=${encodeURIComponent(hostile)}&status=${encodeURIComponent(hostile)}`),
    await ana.get('/console/animals'),
    await ana.get('/console/'),
    await ana.send(NEW, every),
    await ana.send('/console/animals/1', every),
  ]
  for (const { text } of pages) assert.doesNotMatch(text, /<script>|<img src=x/)
})

test('GET /console/animals filters by words, status, type and photos, and says why an animal is not in the gallery', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  const pets = [
    { name: 'Rex', categoryId: 1, status: 'available' },
    { name: 'Luna', categoryId: 2, status: 'sold' },
    { name: 'Milo', categoryId: 2 },
    { name: 'Rexona', categoryId: 2 },
  ]
  for (const pet of pets) await app.post('/v1/pets', pet)
  const ana = await signIn(app)
  const names = async (query: string) =>
    [...(await ana.get(`/console/animals${query}`)).text.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(
      ([, name]) => name,
    )

  assert.deepEqual(await names(''), ['Rexona', 'Milo', 'Luna', 'Rex'])
  assert.deepEqual(await names('?status=unlisted'), ['Rexona', 'Milo'])
  assert.deepEqual(await names('?status=unlisted&q=rexona'), ['Rexona'])
  assert.deepEqual(await names('?status=available'), ['Rex'])
  assert.deepEqual(await names('?category=2&status=sold'), ['Luna'])
  assert.deepEqual(await names('?photos=with'), [])
  assert.deepEqual(await names('?status=nonsense&category=x&photos=y'), ['Rexona', 'Milo', 'Luna', 'Rex'])
  const { text } = await ana.get('/console/animals')
  assert.match(text, /Not in the gallery: not published yet\./)
  assert.match(text, /Not in the gallery: already adopted\./)
  assert.equal((await ana.get('/console/animals?cursor=damaged')).status, 400)
})

test('GET /console/animals in Spanish: age and status agree with the sex of the animal', async (t) => {
  const app = await startApp(t)
  await app.post('/v1/pets', { name: 'Luna', categoryId: 1, status: 'sold', age: 'adult', sex: 'female' })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'sold', age: 'adult', sex: 'male' })
  const ana = await signIn(app)

  const { text } = await ana.get('/console/animals', { 'accept-language': 'es' })

  assert.match(text, /Rex<.*Adulto · Macho.*>Adoptado<.*Luna<.*Adulta · Hembra.*>Adoptada</s)
})

test('GET /console/animals pages through all animals and keeps the filters', async (t) => {
  const app = await startApp(t, { key: UNLIMITED })
  for (let number = 1; number <= 60; number += 1)
    await app.post('/v1/pets', {
      name: `N${number}`,
      categoryId: 1,
      ...(number % 2 && { status: 'available' }),
    })
  const ana = await signIn(app)
  for (const [query, count] of [
    ['', 60],
    ['?status=available', 30],
    ['?status=unlisted', 30],
    ['?status=unlisted&photos=without', 30],
  ] as const) {
    const seen: string[] = []
    for (let path: string | undefined = `/console/animals${query}`; path; ) {
      const { text } = await ana.get(path)
      seen.push(...[...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)</g)].map(([, name = '']) => name))
      path = unescaped(/rel="next" href="([^"]*)"/.exec(text)?.[1] ?? '')
    }
    assert.deepEqual([seen.length, new Set(seen).size], [count, count], query)
  }
})

test('members of an organization see and change only its animals', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const { body: north } = await app.post('/v1/organizations', { name: 'North' })
  const { body: south } = await app.post('/v1/organizations', { name: 'South' })
  await app.post('/v1/pets', { name: 'Nora', categoryId: 1, organizationId: north.id })
  await app.post('/v1/pets', { name: 'Sol', categoryId: 1, organizationId: south.id })
  await app.post('/v1/pets', { name: 'Nobody', categoryId: 1 })
  // The overview shows changes and waiting animals.
  for (const id of [2, 3]) await app.patch(`/v1/pets/${id}`, { status: 'available' })
  const ana = await signIn(app, { organizationId: north.id })

  const list = (await ana.get(`/console/animals?organization=${south.id}`)).text
  assert.match(list, /Nora/)
  assert.doesNotMatch(list, /Sol|Nobody/)
  const first = (await ana.get('/console/')).text
  assert.doesNotMatch(first, /Sol|Nobody/)
  assert.match(first, /status=available"><b>0<\/b>.*status=unlisted"><b>1<\/b>/s)
  for (const id of [2, 3]) {
    const path = `/console/animals/${id}`
    assert.equal((await ana.get(path)).status, 404)
    for (const change of ['', '/status', '/photos/1', '/orders/1'])
      assert.equal((await ana.send(path + change, { name: 'Mine', status: 'sold' })).status, 404, change)
    await ana.send(`${path}/delete`, {})
  }
  assert.equal((await app.get('/v1/pets')).body.length, 3)
  assert.doesNotMatch((await ana.get(NEW)).text, /name="organizationId"/)
  const { headers } = await ana.fill(NEW, { name: 'New', categoryId: '1' })
  assert.equal(headers.location, '/console/animals/4?done=added')
  assert.equal((await app.get('/v1/pets?id=4')).body[0].organizationId, north.id)
  const stolen = await ana.fill(NEW, { name: 'New', categoryId: '1', organizationId: String(south.id) })
  assert.equal(stolen.status, 403)
})

test('history, conflict and refusal are in the language of the page only', async (t) => {
  const app = await startApp(t, { key: { access: 'admin' } })
  const ana = await signIn(app)
  const pet = { name: 'Rex', categoryId: 1, sex: 'female', size: 'small', goodWith: { dogs: true } }
  await app.post('/v1/pets', { ...pet, breed: { primary: 'Beagle', mixed: true } })
  const path = '/console/animals/1'
  const form = formIn((await ana.get(path)).text, path)
  await app.patch('/v1/pets/1', { sex: 'male', size: null, goodWith: { dogs: false } })
  for (const [language, expected, conflict] of [
    ['en', ['Female → Male', 'Small → empty', 'Yes → No'], 'Male|Not known'],
    ['es', ['Hembra → Macho', 'Pequeño → vacío', 'Sí → No'], 'Macho|No se sabe'],
  ] as const) {
    const headers = { 'accept-language': language }
    const { text } = await ana.get(path, headers)
    const history = [...text.matchAll(/<del>(.*?)<\/del> → <ins>(.*?)<\/ins>/g)]
    assert.deepEqual(new Set(history.map(([, from, to]) => `${from} → ${to}`)), new Set(expected))
    const both = (await ana.send(path, { ...form, sex: 'unknown', once: language }, headers)).text
    assert.equal([...both.matchAll(/<td>(.*?)<\/td>/g)].map(([, side]) => side).join('|'), conflict)
  }
  const refused = await ana.send(`${path}/status`, { status: 'x' }, { 'accept-language': 'es' })
  assert.deepEqual(
    [refused.status, /role="alert">([^<]*)</.exec(refused.text)?.[1]],
    [400, 'No se pudo hacer. Recargue la página e inténtelo de nuevo.'],
  )
})
