import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardNames, linkOf, startGallery } from '../../../testing/gallery.ts'

test('GET / and /animals: list the animals looking for a home, newest first, and mark the reserved animals', async (t) => {
  const { add, visit } = await startGallery(t)
  await add({ name: 'Ada' })
  await add({ name: 'Bo', status: 'pending' })
  await add({ name: 'Gone', status: 'sold' })
  await add({ name: 'Hidden', status: undefined })
  await add({ name: 'Cleo' })

  for (const path of ['/', '/animals']) {
    const page = await visit(path)
    assert.equal(page.status, 200)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.deepEqual(cardNames(page), ['Cleo', 'Bo', 'Ada'])
    assert.equal(page.text.match(/class="badge">Reserved</g)?.length, 1)
    assert.doesNotMatch(page.text, /Gone|Hidden/)
  }
})

test('GET /animals on an empty store: says that there are no animals', async (t) => {
  const { visit } = await startGallery(t)
  const page = await visit('/animals')
  assert.equal(page.status, 200)
  assert.match(page.text, /No animals are looking for a home right now/)
  assert.doesNotMatch(page.text, /Remove all filters/)
})

test('GET /animals with each filter of the form: lists the matching animals', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ address: { city: 'Denver', region: 'CO', country: 'US' } })
  await add({
    name: 'Ada',
    ...{ breed: { primary: 'Beagle' }, age: 'young', size: 'small', sex: 'female', organizationId },
    goodWith: { children: true, dogs: true, cats: false },
    description: 'Loves to swim.',
  })
  await add({ name: 'Bo', breed: { primary: 'Poodle' }, age: 'adult', size: 'large', sex: 'male' })
  await add({ name: 'Cleo', categoryId: 2, age: 'baby', sex: 'unknown' })

  for (const [query, names] of Object.entries({
    'kind=dog': ['Bo', 'Ada'],
    'kind=Cat': ['Cleo'],
    'breed=beagle': ['Ada'],
    'breed=BÉA': ['Ada'],
    'kind=cat&breed=bea': [],
    'breed=pood&breed=bea': ['Bo', 'Ada'],
    'breed=eagle': [],
    'age=young&age=baby': ['Cleo', 'Ada'],
    'size=large': ['Bo'],
    'sex=female': ['Ada'],
    'goodWithChildren=true&goodWithDogs=true': ['Ada'],
    'goodWithCats=true': [],
    'q=swim': ['Ada'],
    'near=Denver, CO&within=25': ['Ada'],
    'near=80202': ['Ada'],
    'sort=waiting': ['Ada', 'Bo', 'Cleo'],
    'kind=dog&q=&breed=&age=&sex=&near=&within=100&sort=newest': ['Bo', 'Ada'],
  })) {
    const page = await visit(`/animals?${encodeURI(query)}`)
    assert.equal(page.status, 200, page.text)
    assert.deepEqual(cardNames(page), names, query)
  }
  for (const kind of ['dog', ' DOG ', 'ｄｏｇ']) {
    const { text } = await visit(`/animals?kind=${encodeURIComponent(kind)}`)
    assert.match(text, /<option value="dog" selected>Dog</, kind)
    assert.match(text, /<datalist id="breeds"><option>Affenpinscher<option>.*<option>Whippet</s, kind)
  }
  const page = await visit('/animals?kind=dog&age=young&near=Denver,%20CO&within=25')
  assert.match(page.text, /value="young" checked/)
  assert.match(page.text, /name="near" type="text" value="Denver, CO"/)
  assert.match(page.text, /<option value="25" selected>/)
  assert.match(page.text, /less than 1 mi \(1\.6 km\) away/)
})

test('GET /animals with filters: links to remove one filter or all of them', async (t) => {
  const { add, visit } = await startGallery(t)
  await add({ name: 'Ada', sex: 'female' })
  const wordless = await visit('/animals?q=%21%21%21')
  assert.deepEqual([wordless.status, cardNames(wordless)], [200, []])
  const page = await visit('/animals?kind=dog&q=nobody&sex=female&near=Denver,+CO&within=50&sort=nearest')
  assert.deepEqual(cardNames(page), [])
  assert.match(page.text, /No animals match your search/)
  assert.equal(linkOf(page, 'Remove all filters'), '/animals')
  const chips = [...page.text.matchAll(/class="chip" href="([^"]*)".*?aria-hidden="true">([^<]*)\s✕/g)]
  assert.deepEqual(
    chips.map(([, path, words]) => [words, path?.replaceAll('&amp;', '&')]),
    [
      ['Dog', '/animals?q=nobody&sex=female&near=Denver%2C+CO&sort=nearest&within=50'],
      ['nobody', '/animals?kind=dog&sex=female&near=Denver%2C+CO&sort=nearest&within=50'],
      ['Female', '/animals?kind=dog&q=nobody&near=Denver%2C+CO&sort=nearest&within=50'],
      ['Within 50 km (31 mi) of Denver, CO', '/animals?kind=dog&q=nobody&sex=female'],
    ],
  )
})

test('GET /animals: distances are in miles first near US places and where most shelters are in the US', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const distances = async (query = '') => {
    const { text } = await visit(`/animals?${query}`)
    const [, options = ''] = /<select id="field-within"[^>]*>(.*?)<\/select>/s.exec(text) ?? []
    const all = [...options.matchAll(/<option[^>]*>([^<]*)/g)].map(([, words]) => words)
    const [, chosen] = /selected>([^<]*)/.exec(options) ?? []
    return [all[0], all.at(-1), chosen, /Within [^<✕]*(?=\s✕)/.exec(text)?.[0]]
  }
  const metric = ['10 km (6.2 mi)', '500 km (311 mi)']
  const ofUs = ['5 mi (8 km)', '300 mi (483 km)']
  assert.deepEqual(await distances(), [...metric, '100 km (62 mi)', undefined])

  const addAt = async (city: string, address: object) => {
    const { id: organizationId } = await shelter({ address: { city, ...address } })
    await add({ organizationId, sex: 'male' })
  }
  await addAt('Denver', { region: 'CO', country: 'US' })
  await addAt('Boulder', { region: 'CO', country: 'US' })
  await addAt('Utrecht', { country: 'NL' })
  for (const query of ['', 'sex=male', 'within=50'])
    assert.deepEqual(await distances(query), [...ofUs, '100 mi (161 km)', undefined], query)
  assert.deepEqual(await distances('near=80202&within=50'), [
    ...[...ofUs, '31 mi (50 km)'],
    'Within 31 mi (50 km) of 80202',
  ])
  assert.deepEqual(await distances('near=80202&sex=female&within=40'), [
    ...[...ofUs, '25 mi (40 km)'],
    'Within 25 mi (40 km) of 80202',
  ])
  assert.deepEqual(await distances('near=Utrecht, NL'), [
    ...[...metric, '100 km (62 mi)'],
    'Within 100 km (62 mi) of Utrecht, NL',
  ])
})

test('GET /animals page by page: lists each animal once', async (t) => {
  const { add, visit } = await startGallery(t)
  for (let number = 1; number <= 50; number += 1)
    await add({ name: `Animal ${number}`, status: number % 3 ? 'available' : 'pending', sex: 'male' })
  for (const query of ['', '?sort=waiting', '?sex=male', '?sex=male&sort=waiting', '?kind=dog']) {
    const names: string[] = []
    let path: string | undefined = `/animals${query}`
    for (let count = 0; path; count += 1) {
      const page = await visit(path)
      names.push(...cardNames(page))
      if (count > 0) assert.equal(linkOf(page, 'Back to the first page'), `/animals${query}`)
      assert.equal(cardNames(page).length, [24, 24, 2][count], query)
      path = count < 2 ? linkOf(page, 'Next page') : undefined
      if (count === 2) assert.doesNotMatch(page.text, /Next page/)
    }
    const all = Array.from({ length: 50 }, (_, index) => `Animal ${index + 1}`)
    assert.deepEqual(names, query.includes('waiting') ? all : all.reverse(), query)
  }
})

test('GET /animals with and without filters: says how many animals there are, and links to each order', async (t) => {
  const { add, visit, shelter } = await startGallery(t)
  const { id: organizationId } = await shelter({ address: { city: 'Denver', region: 'CO', country: 'US' } })
  for (let number = 1; number <= 30; number += 1)
    await add({ sex: number % 10 ? 'male' : 'female', organizationId, ...(number > 28 && { categoryId: 2 }) })
  await add({ name: 'Gone', status: 'sold', sex: 'male' })
  await add({ name: 'Hidden', status: undefined, sex: 'male' })
  for (const [query, count] of Object.entries({
    '': 30,
    '?sex=male': 27,
    '?sex=female': 3,
    '?kind=dog': 28,
    '?near=Denver,+CO&sex=male': 27,
    '?near=Denver,+CO': 30,
    '?near=Boston,+MA&q=rex': undefined,
  })) {
    const { text } = await visit(`/animals${query}`)
    const [, head] = /<div class="list-head"><p>([^<]*)</.exec(text) ?? []
    assert.equal(head, count && `${count} animals`, query)
  }
  assert.match((await visit('/animals?kind=cat&sex=female')).text, /<p>1 animal</)
  const list = await visit('/animals?sex=male')
  assert.equal(linkOf(list, 'Newest first'), '/animals?sex=male')
  assert.equal(linkOf(list, 'Longest wait first'), '/animals?sex=male&sort=waiting')
  assert.doesNotMatch(list.text, /Nearest first/)
  const near = await visit('/animals?near=Denver,+CO&within=50&sort=waiting')
  assert.equal(linkOf(near, 'Nearest first'), '/animals?near=Denver%2C+CO&within=50')
  assert.match(near.text, /aria-current="true">Longest wait first</)
  assert.match(
    near.text,
    /<input type="hidden" name="sort" value="waiting">/,
    'the next search keeps the order',
  )
  assert.doesNotMatch(
    (await visit('/animals?near=Denver,+CO&sort=nearest')).text,
    /type="hidden" name="sort"/,
  )
})

test('GET /animals with invalid filters: 400 with the form and the problems of the filters', async (t) => {
  const { add, visit } = await startGallery(t)
  await add({})
  for (const [query, field, words] of [
    ['near=Nowhere+at+all', 'near', 'We couldn’t find that place'],
    ['kind=dragon', 'kind', 'We have no animals of this type'],
    ['within=0', 'within', 'Choose a distance'],
    ['within=1&within=2', 'within', 'Choose a distance'],
    ['age=ancient', 'age', 'This value is not valid'],
    ['sex=%00', 'sex', 'This value is not valid'],
    ['sort=best', 'sort', 'Choose one of the sort options'],
    ['sort=nearest', 'sort', 'Choose one of the sort options'],
    ['cursor=abc', 'cursor', 'The link to this page is damaged'],
    [`q=${'a+'.repeat(20)}`, 'q', 'Enter at most 8 words'],
    [`q=${'a'.repeat(101)}`, 'q', 'Enter at most 8 words'],
    [`breed=${'a'.repeat(81)}`, 'breed', 'This value is not valid'],
  ]) {
    const page = await visit(`/animals?${query}`)
    assert.equal(page.status, 400, query)
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(page.headers['cache-control'], 'no-store')
    assert.match(page.text, new RegExp(`<a href="#field-${field}">${words}`), query)
    assert.match(page.text, /<form class="finder"/)
  }
  const odd = await visit('/animals?constructor=1&__proto__=2&unknown=3&q[]=4')
  assert.ok([200, 400].includes(odd.status))
})

test('GET with Accept-Language returns pages in that language', async (t) => {
  const { add, visit } = await startGallery(t)
  const id = await add({ name: 'Ada', age: 'senior' })
  for (const path of ['/', `/animals/${id}-ada`]) {
    const spanish = await visit(path, { 'accept-language': 'es-MX,es;q=0.9,en;q=0.8' })
    assert.match(spanish.text, /<html lang="es">[\s\S]*Mayor/)
    const english = await visit(path)
    assert.match(english.text, /<html lang="en">[\s\S]*Senior/)
    assert.notEqual(spanish.headers.etag, english.headers.etag)
    assert.match(String(english.headers.vary), /Accept-Language/)
    // Cached pages are in the right language too.
    assert.equal((await visit(path, { 'accept-language': 'es' })).text, spanish.text)
  }
})

test('GET with Accept-Language es: sizes, ages and statuses agree with the sex of the animal', async (t) => {
  const { add, visit } = await startGallery(t)
  const common = { age: 'adult', size: 'small', status: 'pending', traits: { vaccinated: true } }
  const ada = await add({ name: 'Ada', sex: 'female', ...common })
  const bo = await add({ name: 'Bo', sex: 'male', ...common })
  const spanish = { 'accept-language': 'es' }
  const list = (await visit('/', spanish)).text
  assert.match(list, /Macho · Pequeño[\s\S]*Hembra · Pequeña/)
  assert.match(list, /Reservado<[\s\S]*Reservada</)
  assert.match((await visit(`/animals/${ada}-ada`, spanish)).text, /Adulta<[\s\S]*Pequeña<[\s\S]*Vacunada</)
  assert.match((await visit(`/animals/${bo}-bo`, spanish)).text, /Adulto<[\s\S]*Pequeño<[\s\S]*Vacunado</)
  assert.match((await visit(`/animals/${ada}-ada`)).text, /Adult<[\s\S]*Small<[\s\S]*Vaccinated</)
})

test('GET /breeds: the breeds of a type, by its name or id, in alphabetical order', async (t) => {
  const { post, visit } = await startGallery(t)
  const { body: added } = await post('/v1/breeds', { categoryId: 2, name: 'Ábyss <b>cat' })
  assert.equal(added.categoryId, 2)
  const cats = await visit('/breeds?kind=cat')
  assert.deepEqual([cats.status, cats.headers['content-type']], [200, 'application/json; charset=utf-8'])
  assert.equal(cats.headers['cache-control'], 'public, no-cache')
  assert.deepEqual(cats.body.slice(0, 2), ['Ábyss <b>cat', 'Abyssinian'])
  assert.deepEqual((await visit('/breeds?categoryId=2')).body, cats.body)
  for (const query of ['', '?kind=', '?kind=none', '?categoryId=99', '?categoryId=x', '?kind=a&kind=b'])
    assert.deepEqual((await visit(`/breeds${query}`)).body, [], query)
  // The list in the form of this type has the same names.
  assert.match((await visit('/animals?kind=cat')).text, /<option>Ábyss &lt;b&gt;cat<option>Abyssinian</)
})
