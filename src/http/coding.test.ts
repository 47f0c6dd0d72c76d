import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codingFor } from './compress.ts'

const CASES: [header: string | undefined, coding: string | undefined][] = [
  [undefined, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP, Deflate', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate, zstd', 'zstd'],
  ['br;q=0.9, zstd;q=0.8, gzip', 'gzip'],
  ['br;q=0.1,zstd;q=0.2,gzip;q=0.15', 'zstd'],
  ['gzip ; q=0.5 , br ; q=0.4', 'gzip'],
  ['gzip;Q=0.5', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=1.000', 'gzip'],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['*;q=0.5, gzip;q=0.5', 'br'],
  ['br;q=0, *', 'zstd'],
  ['br;q=0, zstd;q=0, *;q=0.1', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['identity', undefined],
  ['identity;q=1, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0.5, *;q=0.4', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, gzip;q=0.1', 'gzip'],
  ['identity;q=0, *', 'br'],
  ['deflate, compress, exi', undefined],
  // None of these is a valid weight.
  ['gzip;q=2', undefined],
  ['gzip;q=-1', undefined],
  ['gzip;q=0.5555', undefined],
  ['gzip;q=1.001', undefined],
  ['gzip;q=', undefined],
  ['gzip;q=x, br;q=NaN, zstd;q=Infinity', undefined],
  ['gzip;q=x, br;q=0.1', 'br'],
  ['gzip;q=1e0', undefined],
  ['br gzip', undefined],
  [',;,=;q', undefined],
  ['gzip;level=9', 'gzip'],
  [`${'x, '.repeat(100)}gzip`, 'gzip'],
]

test('codingFor chooses the highest weight, then the smallest output; an invalid weight counts as 0', () => {
  for (const [header, coding] of CASES) assert.equal(codingFor(header), coding, header)
})
