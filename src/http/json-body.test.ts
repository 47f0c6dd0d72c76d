import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ApiError } from '../errors.ts'
import { UNSAFE_INT64 } from './int64.ts'
import { exactNumber, parseJson } from './json-body.ts'

const list = (...lines: string[]): string[] => lines.join('|').split('|')

const parse = (text: string) => parseJson(Buffer.from(text))

/** Returns the parsed value, or the code of the error. */
function outcomeOf(bytes: string | Buffer): unknown {
  try {
    return parseJson(Buffer.from(bytes as string))
  } catch (error) {
    return (error as ApiError).code
  }
}

test('exactNumber returns exact integers in every notation, as a bigint where a number would round', () => {
  const cases: [source: string, expected: number | bigint][] = [
    ['0', 0],
    ['-0', 0],
    ['-0.0', 0],
    ['0e999999999999', 0],
    ['1.0', 1],
    ['1e3', 1_000],
    ['1E+3', 1_000],
    ['-12e2', -1_200],
    ['1200e-2', 12],
    ['0.00012e5', 12],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-9007199254740993', -9_007_199_254_740_993n],
    ['9007199254740993.000', 9_007_199_254_740_993n],
    ['90071992547409930e-1', 9_007_199_254_740_993n],
    ['0.9007199254740993e16', 9_007_199_254_740_993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['9223372036854775808', 2n ** 63n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['-9223372036854775809', -(2n ** 63n) - 1n],
    ['9999999999999999999', 10n ** 19n - 1n],
    [`1.${'0'.repeat(60_000)}`, 1],
    [`1${'0'.repeat(60_000)}e-60000`, 1],
    [`0.${'0'.repeat(60_000)}7e60001`, 7],
  ]
  for (const [source, expected] of cases) assert.equal(exactNumber(source), expected, source.slice(0, 40))
})

test('exactNumber never turns a fraction into an integer', () => {
  for (const source of list('1.5|-0.5|0.1|5e-324|-5e-3|4503599627370495.5|1.0000000000000002')) {
    assert.equal(exactNumber(source), Number(source), source)
  }
  const rounded = [
    '12345678901234567.5',
    '1.0000000000000000000001',
    '-0.99999999999999999999',
    '9007199254740993.1',
    '1e-400',
    '-1e-400',
    '1e-99999999999999999999',
    `0.${'0'.repeat(60_000)}1`,
  ]
  for (const source of rounded) assert.equal(exactNumber(source), Number.NaN, source.slice(0, 40))
  assert.ok(!Number.isInteger(exactNumber(`${'9'.repeat(60_000)}.5`)))
})

test('exactNumber turns a number beyond every range into an integer beyond that range, with the same sign', () => {
  for (const source of [
    '1e40',
    '1e400',
    '1e99999999999999999999',
    '9'.repeat(60_000),
    `${'9'.repeat(500)}.0`,
  ]) {
    for (const sign of ['', '-']) {
      const value = exactNumber(sign + source)
      assert.ok(typeof value === 'bigint', source.slice(0, 40))
      assert.equal(value < 0n, sign === '-', source.slice(0, 40))
      assert.ok(value >= 2n ** 63n || value < -(2n ** 63n), source.slice(0, 40))
    }
  }
})

test('exactNumber agrees with BigInt for every integer times a power of ten', () => {
  const integers = fc.bigInt({ min: 1n - 10n ** 19n, max: 10n ** 19n - 1n })
  fc.assert(
    fc.property(integers, fc.nat({ max: 15 }), (integer, places) => {
      for (const source of [
        `${integer}`,
        `${integer}.${'0'.repeat(places + 1)}`,
        `${integer}${'0'.repeat(places)}e-${places}`,
      ]) {
        const value = exactNumber(source)
        assert.equal(BigInt(value), integer, source)
        assert.equal(typeof value === 'number', Number.isSafeInteger(Number(integer)), source)
      }
    }),
  )
})

test('parseJson keeps numbers exact at any position, and turns no large integer into another integer', () => {
  assert.deepEqual(parse('{"a":[9007199254740993,{"b":-9223372036854775809}],"c":1e2,"d":"1e5","e":1.0}'), {
    a: [UNSAFE_INT64, { b: Number.NEGATIVE_INFINITY }],
    c: 100,
    d: '1e5',
    e: 1,
  })
  assert.deepEqual(parse('[9007199254740991,9007199254740992]'), [9_007_199_254_740_991, UNSAFE_INT64])
  assert.deepEqual(parse('[12345678901234567.5,1e-400]'), [Number.NaN, Number.NaN])
})

test('parseJson refuses a repeated member name, at any depth and in any spelling', () => {
  const twice = [
    '{"name":1,"name":1}',
    '{"name":1,"n\\u0061me":2}',
    '{"\\u006e\\u0061\\u006D\\u0065":1,"name":2}',
    '{"a":{"b":[{"c":1,"d":2,"c":3}]}}',
    '{"a":1,"b":{"a":1},"a":2}',
    '{"a":[{}],"a":2}',
    '{"":1,"":2}',
    '{"/":1,"\\/":2}',
    '{"a\\"b":1,"a\\u0022b":2}',
    '{"\\ud83d\\ude00":1,"😀":2}',
    '{"constructor":1,"constructor":2}',
    '{ "a" : 1 , "a"\n:2}',
    `{${'"k":{},'.repeat(2)}"l":1}`,
  ]
  for (const text of twice) assert.equal(outcomeOf(text), 'invalid_json', text)
  const once = list(
    '{"a":{"a":{"a":1}}}|[{"a":1},{"a":1}]|{"a":"a","b":"a"}|{"a":"\\"a\\":1","b":"{\\"a\\":"}',
    '{"a":1,"A":2,"á":3,"a\\u0301":4}|["a","a"]|{"toString":1,"hasOwnProperty":2,"constructor":3}',
  )
  for (const text of once) assert.deepEqual(outcomeOf(text), JSON.parse(text), text)
})

test('parseJson refuses a member named __proto__, at any depth and in any spelling', () => {
  for (const text of [
    '{"__proto__":{"a":1}}',
    '{"\\u005f_proto_\\u005F":1}',
    '{"a":[{"b":{"__pr\\u006fto__":null}}]}',
    '[{"__proto__":1}]',
    '{"__proto__":1,"__proto__":2}',
  ]) {
    assert.equal(outcomeOf(text), 'validation_failed', text)
  }
  assert.deepEqual(parse('{"a":"__proto__","b":"\\"__proto__\\":1","__proto":1}'), {
    a: '__proto__',
    b: '"__proto__":1',
    __proto: 1,
  })
  assert.equal(Object.getPrototypeOf(parse('{"constructor":{"prototype":{"a":1}}}')), Object.prototype)
})

test('parseJson accepts 32 levels and refuses 33 or more', () => {
  const arrays = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}1e5${'}'.repeat(depth)}`
  for (const nest of [arrays, objects]) {
    assert.deepEqual(outcomeOf(nest(32)), JSON.parse(nest(32)))
    for (const depth of [33, 1_000, 100_000])
      assert.equal(outcomeOf(nest(depth)), 'invalid_json', String(depth))
  }
  for (const text of [
    '['.repeat(100_000),
    ']'.repeat(100_000),
    '{"a":'.repeat(100_000),
    `${'['.repeat(33)}"`,
  ]) {
    assert.equal(outcomeOf(text), 'invalid_json', text.slice(0, 10))
  }
  assert.equal(outcomeOf(`"${'['.repeat(1_000)}"`), '['.repeat(1_000))
})

test('parseJson refuses a body that is not UTF-8 or has a byte order mark', () => {
  const quoted = (...bytes: number[]) => Buffer.from([0x22, ...bytes, 0x22])
  const cases: Record<string, Buffer> = {
    'FF FE': quoted(0xff, 0xfe),
    'overlong slash': quoted(0xc0, 0xaf),
    'overlong NUL': quoted(0xc0, 0x80),
    'overlong in three bytes': quoted(0xe0, 0x80, 0xaf),
    'overlong in four bytes': quoted(0xf0, 0x80, 0x80, 0xaf),
    'a surrogate': quoted(0xed, 0xa0, 0x80),
    'a pair of surrogates': quoted(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80),
    'beyond U+10FFFF': quoted(0xf4, 0x90, 0x80, 0x80),
    'five bytes': quoted(0xf8, 0x88, 0x80, 0x80, 0x80),
    'a lone continuation': quoted(0x80),
    'a truncated sequence': quoted(0xe2, 0x82),
    'the end in a sequence': Buffer.from([0x22, 0xf0, 0x9f, 0x90]),
    'Latin-1': Buffer.from('"\xe9"', 'latin1'),
    'UTF-16, little end first': Buffer.from('\ufeff"a"', 'utf16le'),
    'UTF-16 without a mark': Buffer.from('"a"', 'utf16le'),
    'a byte order mark': Buffer.from('\ufeff{}'),
  }
  for (const [about, bytes] of Object.entries(cases)) assert.equal(outcomeOf(bytes), 'invalid_json', about)
  assert.equal(parse('"é€😀\ufeff\u0000"'.replace('\u0000', '\\u0000')), 'é€😀\ufeff\0')
})

test('parseJson accepts the same JSON as JSON.parse', () => {
  const valid = [
    ...['null', 'true', 'false', '0', '-0', '1', '-1', '0.5', '1e1', '1E-1', '1e+1', '0e0', '""', '[]', '{}'],
    ...[' 1', '1 ', '\t1', '\n1', '\r1', ' \t\r\n[ \n1 , 2\r]\t', '{ }', '[ ]', '{"a" : 1}', '{"" :\t""}'],
    ...list('"\\""|"\\\\"|"\\/"|"\\b\\f\\n\\r\\t"|"\\u0041"|"\\uD83D\\uDE00"|"\\ud800"|"\\udc00\\ud800"'),
    ...list('"\\\\u0041"|"\\\\\\""|"\x7f"|"\u0085"|"\u2028"|"😀"|"\\u0000"|"{"|"]"|"a\\\\"'),
    ...list('[[]]|[{},[]]|{"a":{}}|{"a":[{}]}|["\\"",{"\\"":"}"}]|123456789012345|0.1e-5|[1,"2",null]'),
  ]
  const invalid = [
    ...list('| |\ufeff|\u00a0|nul|True|NULL|undefined|NaN|Infinity|-Infinity|-|+1'),
    ...list('01|-01|1.|.5|-.5|1e|1e+|1.e1|0x10|1_000|1n|1,|,1|1 2|--1|１'),
    ...list('"|"a|a"', "'a'", '"\\"|"\\x41"|"\\u12"|"\\u12g4"|"\\U0041"|"\\a"|"\t"|"\n"|"\x00"|"\x1f"'),
    ...list('[|]|[]]|[1,]|[,1]|[1 2]|[,]|[1}|(1)|[1|[1,|["a"|[\x0b]|[]\0|[]//|[/**/]'),
    ...list('{|}|{}}|{"a"}|{"a":}|{:1}|{a:1}', "{'a':1}", '{"a":1,}|{,"a":1}|{"a" 1}|{"a":1 "b":2}'),
    ...list('{"a"::1}|{1:1}|{null:1}|{"a":1]|{"a":1|{"a|{"a":"b|{}{}|{"a":1,"a|{"a":1}"b":'),
  ]
  for (const text of valid) assert.deepEqual(outcomeOf(text), JSON.parse(text), JSON.stringify(text))
  for (const text of invalid) {
    assert.throws(() => JSON.parse(text), JSON.stringify(text))
    assert.equal(outcomeOf(text), 'invalid_json', JSON.stringify(text))
  }
})

test('parseJson reads back every value that JSON.stringify writes', () => {
  const levelled = (value: unknown): unknown => {
    // Compares only the sign of numbers beyond 2^53 - 1.
    if (typeof value === 'number') return Math.abs(value) >= UNSAFE_INT64 ? Math.sign(value) : value
    if (Array.isArray(value)) return value.map(levelled)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, levelled(member)]))
  }
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2), (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      fc.pre(!text.includes('"__proto__":'))
      assert.deepEqual(levelled(parse(text)), levelled(JSON.parse(text)))
    }),
    { numRuns: 1_000 },
  )
})

test('parseJson agrees with JSON.parse on any text of JSON tokens', () => {
  const pieces = list('{|}|[|]|,|:|"a"|"b"|"|\\|1|-|.|null| |"\\|u00|\ud83d\ude00')
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join('')),
      (text) => {
        let expected: unknown = 'invalid_json'
        try {
          expected = JSON.parse(text)
        } catch {}
        const outcome = outcomeOf(text)
        // A repeated member name is the only thing that JSON.parse accepts and parseJson does not.
        if (outcome === 'invalid_json' && expected !== outcome) assert.match(text, /("[ab]").*\1/)
        else assert.deepEqual(outcome, expected)
      },
    ),
    { numRuns: 2_000 },
  )
})
