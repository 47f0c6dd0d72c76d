import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Format } from './animal.ts'
import { readPhotoList } from './photos.ts'

const addressesIn = (format: Format, ...values: unknown[]): string[] => {
  const fields = Object.fromEntries(values.map((value, index) => [String(index), value]))
  const found = readPhotoList(fields, Object.keys(fields), format)
  return found?.sources.map(({ address }) => address) ?? []
}

test('a photo cell is split at white space, and at a semicolon before an address', () => {
  const [one, other] = ['https://a.example/1;v=2.jpg?x=1;y', 'http://b.example/2.jpg']
  for (const between of [' ', '\n', '\r\n\t', ';', '; ', ' ;', ' ;\n '])
    assert.deepEqual(addressesIn('csv', `${one}${between}${other}`), [one, other], JSON.stringify(between))
  assert.deepEqual(addressesIn('csv', ` ${one}\n`), [one])
  assert.deepEqual(addressesIn('csv', '   '), [])
})

test('a photo text in JSON is one address', () => {
  const address = 'https://a.example/1 2.jpg;https://b.example'
  for (const format of ['json', 'ndjson'] as const) {
    assert.deepEqual(addressesIn(format, address), [address])
    assert.deepEqual(addressesIn(format, [`${address} `, 'https://b.example/2']), [
      address,
      'https://b.example/2',
    ])
  }
})

test('a repeated photo address gives one photo, as in its first entry', () => {
  const full = 'https://a.example/1.jpg'
  const fields = { cover: full, photos: [{ full, alt: 'Rex' }, { sizes: { large: 'https://a.example/2' } }] }

  assert.deepEqual(readPhotoList(fields, ['cover', 'photos'], 'json'), {
    sources: [{ address: full }, { address: 'https://a.example/2' }],
    surplus: 0,
  })
  assert.equal(readPhotoList(fields, ['none'], 'json'), undefined)
})

test('invalid alt texts are dropped, and photos over the maximum are counted', () => {
  const alts = ['Rex', '🐕'.repeat(500), '🐕'.repeat(501), '', ' ', 'two\nlines', 7]
  const photos = alts.map((alt, index) => ({ alt, full: `https://a.example/${index}` }))
  const taken = readPhotoList({ photos }, ['photos'], 'json')?.sources.map(({ alt }) => alt)
  assert.deepEqual(taken, [...alts.slice(0, 2), ...Array(5).fill(undefined)])

  const many = Array.from({ length: 100_000 }, (_, index) => `https://a.example/${index}`)
  const found = readPhotoList({ photos: many }, ['photos'], 'json')
  assert.deepEqual([found?.sources.length, found?.surplus], [20, 99_980])
})
