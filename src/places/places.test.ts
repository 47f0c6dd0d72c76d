import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, UNLIMITED } from '../testing/start-app.ts'
import { metersBetween } from './distance.ts'
import { getPoint, locate } from './gazetteer.ts'

const ADMIN = { key: { ...UNLIMITED, access: 'admin' } } as const
const DENVER = { latitude: 39.7392, longitude: -104.9847 }
const BEVERLY_HILLS = { latitude: 34.0901, longitude: -118.4065 }
const TORONTO = { latitude: 43.7001, longitude: -79.4163 }
const UTRECHT = { latitude: 52.0908, longitude: 5.1222 }

test('locate finds postal codes and cities, ignoring case and accents', async () => {
  for (const [where, expected] of [
    [{ postcode: '90210' }, BEVERLY_HILLS],
    [{ postcode: '90210-1234', city: 'Denver', country: 'US' }, BEVERLY_HILLS],
    [{ postcode: 'm5v 3L9' }, { latitude: 43.6525, longitude: -79.3686 }],
    [{ city: 'denver', region: 'Colorado', country: 'US' }, DENVER],
    [{ city: 'DENVER', region: 'co' }, DENVER],
    [{ city: 'Utrecht', country: 'NL' }, UTRECHT],
    // The largest city of this name.
    [{ city: 'Utrecht' }, UTRECHT],
    [
      { city: 'Sao Paulo', country: 'BR' },
      { latitude: -23.5475, longitude: -46.6361 },
    ],
    [{ city: 'Toronto', region: 'ON' }, TORONTO],
    [{ city: 'Toronto', region: 'Ontario', country: 'CA' }, TORONTO],
    [{ city: 'St. Petersburg' }, { latitude: 27.7709, longitude: -82.6793 }],
    // Five digits are a postal code in many countries, and a region must match.
    [{ postcode: '90210', city: 'Utrecht' }, UTRECHT],
    [{ city: 'Denver', region: 'TX' }, undefined],
    [{ city: 'Denver', region: 'Ontario', country: 'CA' }, undefined],
    [{ postcode: '90210', country: 'NL' }, undefined],
    [{ postcode: '00000' }, undefined],
    [{ city: 'Nowhere at all' }, undefined],
    [{ region: 'CO', country: 'US' }, undefined],
    [{}, undefined],
  ] as const) {
    assert.deepEqual(await locate(where), expected, JSON.stringify(where))
  }
})

test('getPoint finds cities with a state and postal code in any spelling, and whole states', async () => {
  const zip = await getPoint('80202')
  for (const near of [
    'Denver, CO 80202',
    'Denver CO 80202',
    'denver, colorado 80202-1234',
    'Denver, CO 80202, USA',
  ])
    assert.deepEqual(await getPoint(near), zip, near)
  for (const near of ['Denver CO', 'DENVER Colorado', 'Denver, CO, US', 'Denver  CO'])
    assert.deepEqual(await getPoint(near), DENVER, near)
  for (const near of ['Toronto ON', 'Toronto, Ontario, Canada', 'toronto ontario'])
    assert.deepEqual(await getPoint(near), TORONTO, near)
  assert.deepEqual(await getPoint('Toronto, ON M5V 2T6'), await getPoint('M5V2T6'))
  assert.deepEqual(await getPoint('Salt Lake City UT'), await getPoint('Salt Lake City, Utah'))
  assert.deepEqual(await getPoint('Charleston West Virginia'), await getPoint('Charleston, WV'))
  // A region is a circle around all of its cities.
  for (const [region, city] of [
    ['WA', 'Spokane, WA'],
    ['texas', 'El Paso, TX'],
    ['NY', 'New York, NY'],
    ['West Virginia', 'Charleston, WV'],
    ['BC', 'Victoria, BC'],
    ['PR', 'Ponce, PR'],
    ['Puerto Rico', 'San Juan PR'],
    ['Guam', 'Tamuning GU'],
    ['VI', 'Charlotte Amalie, VI'],
    ['American Samoa', 'Pago Pago, AS'],
    ['MP', 'Saipan, MP'],
    ['DC', 'Washington, DC'],
    ['PE', 'Charlottetown, PE'],
    ['Newfoundland and Labrador', 'St. John’s, NL'],
  ] as const) {
    const { meters = 0, ...center } = await getPoint(region)
    assert.ok(metersBetween(center, await getPoint(city)) <= meters, region)
  }
  const farthest = async (region: string) => (await getPoint(region)).meters ?? 0
  assert.ok((await farthest('PR')) < 150_000 && (await farthest('PE')) < 150_000)
  assert.deepEqual(await getPoint('Ponce, PR 00717, USA'), await getPoint('00717'))
  const ponce = await getPoint('Ponce, PR')
  assert.deepEqual(await locate({ city: 'Ponce', region: 'Puerto Rico', country: 'US' }), ponce)
  assert.deepEqual(await getPoint('Washington, D.C.'), await getPoint('Washington, DC'))
  assert.deepEqual(await getPoint('N.Y.'), await getPoint('NY'))
  for (const near of ['Denver TX', 'CO, TX', 'Nowhere CO', 'XY', '28013 Nowhere', '/', '28013/'])
    await assert.rejects(getPoint(near), { code: 'invalid_parameter' }, near)
})

test('getPoint takes a postal code and a region in either order, and the usual abbreviations of regions', async () => {
  const same: [near: string, ...others: string[]][] = [
    ['80202', '80202,CO', '80202, CO', '80202 CO', 'CO 80202', 'CO, 80202', '80202 Denver, Colorado'],
    [
      '80202',
      '80202 US',
      'USA 80202',
      'U.S.A. 80202',
      '80202, USA',
      '80202-1234 Denver CO, USA',
      'Colo. 80202',
    ],
    ['M5V 2T6', 'M5V2T6, ON', 'M5V 2T6 Toronto, Ont.', 'ON M5V 2T6', 'Canada M5V 2T6'],
    ['PE', 'PEI', 'pei', 'P.E.I.', 'Prince Edward Isl.', 'Prince Edward Is.', 'Prince Edward Island, Canada'],
    ['Charlottetown, PE', 'Charlottetown PEI', 'Charlottetown, P.E.I.', 'Charlottetown P. E. I.'],
    ['Quebec, QC', 'Québec, Que.', 'Quebec PQ', 'Quebec City, P.Q.'],
    ['NC', 'N.C.', 'N. C.', 'N. Carolina', 'No. Carolina', 'N Carolina'],
    ['WV', 'W. Va.', 'W.Va.', 'W. Virginia'],
    ['NL', 'Nfld', 'Nfld.', 'Newfoundland', 'Newfoundland & Labrador', 'NF'],
    ['NT', 'NWT', 'N.W.T.', 'Northwest Terr.'],
    ['DC', 'D.C.', 'D. C.', 'Dist. of Columbia', 'District of Columbia'],
    ['Denver, CO', 'Denver, Colo.', 'Denver Colo', 'denver, colo., usa'],
    ['Los Angeles, CA', 'Los Angeles, Calif.', 'Los Angeles, Cal'],
    ['Boston, MA', 'Boston, Mass.', 'Boston Mass'],
    ['Winnipeg, MB', 'Winnipeg, Man.', 'Winnipeg Man'],
    ['Fort Worth, TX', 'Ft. Worth, Tex.', 'Ft Worth TX'],
    ['Mount Vernon, NY', 'Mt. Vernon, N.Y.'],
    ['Saint-Jérôme, QC', 'St-Jérôme QC', 'St. Jerome, Que'],
  ]
  for (const [near, ...others] of same)
    for (const other of others) assert.deepEqual(await getPoint(other), await getPoint(near), other)
  // Each state and province that the press abbreviates.
  const abbreviated =
    'AL Ala, AZ Ariz, AR Ark, CA Calif, CO Colo, CT Conn, DE Del, FL Fla, IL Ill, IN Ind, KS Kan, MA Mass, ' +
    'MI Mich, MN Minn, MS Miss, MT Mont, NE Neb, NV Nev, ND N.Dak., OK Okla, OR Ore, PA Penn, PR P.R., RI R.I., ' +
    'SD S.Dak., TN Tenn, TX Tex, WA Wash, WI Wis, WY Wyo, AB Alta, BC B.C., MB Man, NB N.B., NS N.S., ON Ont, ' +
    'QC Que, SK Sask, YT Yuk, NU Nun'
  for (const pair of abbreviated.split(', ')) {
    const [code = '', name = ''] = pair.split(' ')
    assert.deepEqual(await getPoint(name), await getPoint(code), name)
  }
  const denver = await getPoint('Denver, CO')
  assert.deepEqual(await locate({ city: 'Denver', region: 'Colo.', country: 'US' }), denver)
})

test('getPoint finds a city next to a postal code of any country, and takes a slash for a comma', async () => {
  const same: [near: string, ...others: string[]][] = [
    ['Madrid, Spain', '28013 Madrid', '28013, Madrid', 'Madrid 28013', '28013 Madrid, Spain', 'Madrid/Spain'],
    // 10115 and 75001 are also postal codes of the United States.
    ['Berlin, DE', '10115 Berlin', '10115, Berlin', '10115 Berlin, Germany'],
    ['Paris, FR', '75001 Paris', '75001 Paris, France', 'Paris/France'],
    ['London, GB', 'SW1A 1AA London', 'London SW1A 1AA', 'London SW1A 1AA, UK'],
    ['Amsterdam, NL', '1012 AB Amsterdam', '1012AB Amsterdam'],
    ['Denver, CO', 'Denver/CO', 'Denver / Colorado', 'Denver/CO/USA'],
    ['80202', '80202 Denver', '80202, Denver', '80202/Denver', 'Denver/CO 80202'],
    ['Biel/Bienne', 'Biel Bienne'],
  ]
  for (const [near, ...others] of same)
    for (const other of others) assert.deepEqual(await getPoint(other), await getPoint(near), other)
})

test('locate finds big cities by their local and their English name', async () => {
  const pairs = [
    'AT Wien/Vienna, CZ Praha/Prague, IT Firenze/Florence, NL Den Haag/The Hague, DE München/Munich, DE Köln/Cologne',
    'IT Roma/Rome, IT Milano/Milan, IT Napoli/Naples, IT Torino/Turin, IT Venezia/Venice, CH Genève/Geneva',
    'PT Lisboa/Lisbon, DK København/Copenhagen, PL Warszawa/Warsaw, GR Athina/Athens, RO București/Bucharest',
    'BE Bruxelles/Brussels, BE Antwerpen/Antwerp, US New York/New York City',
  ]
  for (const pair of pairs.flatMap((line) => line.split(', '))) {
    const [one = '', other] = pair.slice(3).split('/')
    const country = pair.slice(0, 2)
    const found = await locate({ city: one, country })
    assert.ok(found, pair)
    assert.deepEqual(found, await locate({ city: other, country }), pair)
    assert.deepEqual(found, await locate({ city: one }), `${pair} without its country`)
  }
  const louis = await locate({ city: 'Saint Louis', region: 'MO' })
  assert.ok(louis)
  assert.deepEqual(louis, await locate({ city: 'St. Louis', region: 'MO', country: 'US' }))
})

test('POST and PATCH /v1/pets with a postal code or city set its coordinates, and keep entered coordinates', async (t) => {
  const { post, patch } = await startApp(t, ADMIN)
  const rex = (place: object) => ({ name: 'Rex', categoryId: 1, place })
  const placeOf = ({ body: { place } }: { body: { place: unknown } }) => place
  const denver = { city: 'Denver', region: 'CO', country: 'US' }

  assert.deepEqual(placeOf(await post('/v1/pets', rex(denver))), { ...denver, ...DENVER })
  const moved = await patch('/v1/pets/1', { place: { city: 'Utrecht', region: null, country: 'NL' } })
  assert.deepEqual(placeOf(moved), { city: 'Utrecht', country: 'NL', ...UTRECHT })
  assert.deepEqual(placeOf(await patch('/v1/pets/1', { place: { city: 'Nowhere at all' } })), {
    city: 'Nowhere at all',
    country: 'NL',
  })

  const exact = { ...denver, latitude: 39.7, longitude: -105 }
  assert.deepEqual(placeOf(await post('/v1/pets', rex(exact))), exact)
  assert.deepEqual(placeOf(await patch('/v1/pets/2', { place: { postcode: '80202' } })), {
    ...exact,
    postcode: '80202',
  })
  assert.deepEqual(placeOf(await post('/v1/pets', rex({ region: 'CO' }))), { region: 'CO' })
})

test('GET /v1/organizations?near=NAME finds an organization by the coordinates of its address', async (t) => {
  const { get, post, patch } = await startApp(t, ADMIN)
  const address = { street: 'Street 1', city: 'Denver', region: 'CO', country: 'US' }
  const { body } = await post('/v1/organizations', { name: 'Hill', address })
  assert.deepEqual([body.latitude, body.longitude], [DENVER.latitude, DENVER.longitude])

  const near = async (words: string) => {
    const answer = await get(`/v1/organizations?within=20&near=${encodeURIComponent(words)}`)
    return answer.status === 200 ? answer.body.length : answer.body.details[0].parameter
  }
  assert.deepEqual(
    await Promise.all(
      ['Denver, CO', 'denver', '80202', '39.74, -104.99', 'Denver, US', 'Denver, CO, usa'].map(near),
    ),
    [1, 1, 1, 1, 1, 1],
  )
  const elsewhere = ['Utrecht, NL', '90210', 'Nowhere at all', '91,0', 'Denver, TX', 'Denver, FR']
  assert.deepEqual(await Promise.all(elsewhere.map(near)), [0, 0, 'near', 'near', 'near', 'near'])

  assert.equal((await get('/v1/organizations?country=us')).body.length, 1)
  assert.equal((await get('/v1/organizations?country=usa')).status, 400)

  await patch('/v1/organizations/1', { address: { city: 'Utrecht', region: null, country: 'NL' } })
  assert.equal(await near('Utrecht, NL'), 1)
  await patch('/v1/organizations/1', { name: 'Paris', address: { city: 'Paris', country: 'FR' } })
  assert.deepEqual(await Promise.all(['Paris, FR', 'Paris, France', 'Paris, TX'].map(near)), [1, 1, 0])
  const { body: without } = await patch('/v1/organizations/1', { address: null })
  assert.deepEqual([without.latitude, without.longitude], [undefined, undefined])
})
