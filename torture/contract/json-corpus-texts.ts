import { list } from '../lab/list.ts'
import { times } from '../lab/parallel.ts'

// JSON texts, and texts that are nearly JSON, of the kinds on which parsers are known to disagree (RFC 8259).

const hex = (code: number): string => `\\u${code.toString(16).padStart(4, '0')}`
const combine = (...parts: string[][]): string[] =>
  parts.reduce((starts, ends) => starts.flatMap((start) => ends.map((end) => start + end)), [''])

const SPACES = ['', ' ', '\t', '\n', '\r', ' \t\r\n ']
const CONTROLS = Array.from({ length: 0x20 }, (_, code) => String.fromCharCode(code))
const ASCII = Array.from({ length: 0x5f }, (_, place) => String.fromCharCode(0x20 + place))

const NUMBERS = combine(
  ['', '-'],
  ['0', '7', '10', '1234567890'],
  ['', '.0', '.5', '.250'],
  ['', 'e0', 'E+2', 'e-3'],
)
const STRINGS = [
  ...list(
    '""¦" "¦"a"¦"\\""¦"\\\\"¦"\\/"¦"/"¦"\\b\\f\\n\\r\\t"¦"\\\\u0041"¦"\\\\\\""¦"{"¦"]"¦"//"¦"/**/"¦"null"¦"1"',
  ),
  ...ASCII.filter((one) => one !== '"' && one !== '\\').map((one) => `"${one}"`),
  ...list(
    '\x7f¦\x80¦\xa0¦é¦ß¦\u2028¦\u2029¦\u3000¦\ue000¦\ufdd0¦\ufeff¦\ufffd¦\uffff¦\u{10000}¦😀¦\u{10ffff}',
    'a\u0301¦\u202e¦日本語¦a\\ud83d\\ude00b',
    '\\uD834\\uDD1E¦\\ud834\\udd1e¦\\udbff\\udfff¦\\ud800\\udc00¦\\u00E9¦\\u00e9',
  ).map((one) => `"${one}"`),
  ...[
    0, 1, 0x1f, 0x22, 0x2f, 0x5c, 0x7f, 0xe9, 0x7ff, 0x800, 0x2028, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xffff,
  ].map((code) => `"${hex(code)}"`),
]
const STRUCTURES = list(
  '[]¦{}¦[[]]¦[{}]¦{"a":[]}¦{"a":{}}¦[1,2]¦["a",1,null,true,false,{}]¦{"a":1,"b":2}¦{"":0}¦{"a":{"a":{"a":1}}}',
  '{"a b":1}¦{"\\u0061":1}¦{"\\"":1}¦[[[[[[1]]]]]]¦{"min":-1e5,"max":1e5}¦[null,1,"1",{}]¦[[],[],[[]]]¦{"a":"}"}',
)
const LITERALS = ['true', 'false', 'null']

/** JSON, in full. */
export const RIGHT: string[] = [
  ...NUMBERS,
  ...STRINGS,
  ...STRUCTURES,
  ...LITERALS,
  ...combine(SPACES, ['[', '{"a":', '1', '"x"'].slice(2), SPACES),
  ...combine(['['], SPACES, ['1'], SPACES, [',']).flatMap((start) =>
    SPACES.map((space) => `${start}${space}2]`),
  ),
  ...combine(['{'], SPACES, ['"a"'], SPACES, [':'], SPACES, ['1}']),
]

const BAD_NUMBERS = list(
  '-¦+¦+1¦--1¦-+1¦01¦-01¦00¦1.¦-1.¦.5¦-.5¦.¦1.e1¦1.5.5¦1e¦1E¦1e+¦1e-¦1ee1¦1e1.5¦1e+-1¦0x10¦0b1¦0o7¦1_000¦1n¦1f¦1 000',
  '1,5¦NaN¦nan¦-NaN¦Infinity¦-Infinity¦inf¦1a¦1/2¦１¦٣¦1٠¦-x¦0e¦0e+¦2.e3¦9.e+¦1\u00a0¦∞¦-¦- 1¦1 .5¦1. 5¦1e 5¦#1¦$1¦1%',
)
const ESCAPES = ASCII.filter((one) => !'"\\/bfnrtu'.includes(one)).map((one) => `"\\${one}"`)
const BAD_STRINGS = [
  ...CONTROLS.flatMap((control) => [`"${control}"`, `"a${control}b"`, `{"a${control}":1}`]),
  ...ESCAPES,
  ...list(
    '"¦"a¦a"¦"\\"¦"\\\\\\"¦"\\u"¦"\\u1"¦"\\u12"¦"\\u123"¦"\\u123g"¦"\\u 123"¦"\\u+123"¦"\\u{41}"¦"\\x41"¦"\\U0041"¦"\\0"¦"\\é"',
  ),
  ...list('\'a\'¦`a`¦“a”¦«a»¦\\"a\\"¦"a" "b"¦"a""b"¦"a"b¦a¦\\u0022a\\u0022¦&quot;a&quot;'),
]
const BAD_STRUCTURES = [
  ...list(
    '[¦]¦{¦}¦[]]¦{}}¦[[]¦[}¦{]¦[1¦[1,¦[1,]¦[,1]¦[,]¦[1,,2]¦[1 2]¦["a" "b"]¦[1;2]¦[1:2]¦(1)¦<1>¦[1}¦{"a":1]¦[[[[¦]]]]¦[""',
  ),
  ...list(
    '{"a"}¦{"a":}¦{"a" 1}¦{"a"=1}¦{"a"::1}¦{"a":1,}¦{,"a":1}¦{"a":1,,"b":2}¦{"a":1 "b":2}¦{"a":1;"b":2}¦{:1}¦{1:1}¦{a:1}',
  ),
  ...list(
    '{\'a\':1}¦{null:1}¦{true:1}¦{[]:1}¦{{}:1}¦{"a":1¦{"a":¦{"a"¦{"a¦{"a":[¦{"a":{¦{"a":"b¦{{}}¦{[]}¦{"a","b"}¦{"a":1:2}',
  ),
  ...list(
    '1 2¦1,2¦{}{}¦[][]¦[],¦,[]¦null,¦true false¦{} x¦x {}¦{}#¦[]//a¦[]/**/¦/**/[]¦//a\n[]¦#a\n[]¦[1/**/]¦[1,//\n2]¦{"a"/**/:1}',
  ),
  ...list(
    '...¦[...]¦[1...2]¦@¦*¦&a¦!!str a¦---¦- a¦a: 1¦<a/>¦$ref¦=1¦\\n[]¦undefined¦void 0¦None¦new Date()¦function(){}¦[1].length',
  ),
]
const BAD_LITERALS = list(
  'True¦TRUE¦False¦FALSE¦Null¦NULL¦nul¦tru¦fals¦nulll¦truee¦falsee¦t¦n¦f¦yes¦no¦nil¦[True]¦[nul]¦{"a":tru}¦n ull¦tr\nue¦-true¦!true¦ｎull',
)
const OTHER_SPACES = list(
  '\v¦\f¦\0¦\x1b¦\x85¦\xa0¦\u1680¦\u2003¦\u2028¦\u2029¦\u200b¦\u3000¦\ufeff¦\u2060¦\xad',
)

/** No JSON, as the whole of a body and as a value in one. */
export const WRONG: string[] = [
  ...BAD_NUMBERS,
  ...BAD_STRINGS,
  ...BAD_STRUCTURES,
  ...BAD_LITERALS,
  ...OTHER_SPACES.flatMap((space) =>
    list('#1¦1#¦[#1]¦{"a"#:1}¦{"a":#1}').map((text) => text.replace('#', space)),
  ),
]

/** No UTF-8, which a body has to be (section 8.1): what stands in a string. */
export const NO_UTF8: number[][] = [
  ...Array.from({ length: 0x80 }, (_, place) => [0x80 + place]),
  ...Array.from({ length: 0x20 }, (_, place) => [0xc0 + place, 0x41]),
  ...[0xc0, 0xc1].flatMap((lead) => [0x80, 0xaf, 0xbf].map((next) => [lead, next])),
  ...Array.from({ length: 0x20 }, (_, place) => [0xed, 0xa0 + place, 0x80]),
  ...list(
    'e0 80 af¦e0 9f bf¦f0 80 80 af¦f0 8f bf bf¦e2 82¦f0 9f 90¦f4 90 80 80¦f5 80 80 80¦f8 88 80 80 80',
    'fc 84 80 80 80 80¦ed a0 bd ed b8 80¦e2 28 a1¦f0 28 8c bc¦80 bf¦ff fe¦fe ff',
  ).map((bytes) => bytes.split(' ').map((byte) => Number.parseInt(byte, 16))),
]

/** The code of the answer, and of its first detail; "created" for a 201. */
export type Outcome = 'created' | 'invalid_json' | `validation_failed ${string}`

const nested = (levels: number, open: string, close: string): string =>
  open.repeat(levels) + close.repeat(levels)

const create = (extra: string): string => `{"name":"Rex","categoryId":1,"extra":${extra}}`
const named = (name: string): string => `{"name":${name},"categoryId":1}`
const numbered = (id: string): string => `{"name":"Rex","categoryId":${id}}`

type Open = [why: string, body: string, outcome: Outcome]
const all = (why: string, texts: string[], body: (text: string) => string, outcome: Outcome): Open[] =>
  texts.map((text) => [why, body(text), outcome])

const SURROGATES = list('"\\ud800"¦"\\udfff"¦"\\ud800\\ud800"¦"\\udc00\\ud800"¦"a\\ud800b"¦"\\ud83d\\u0041"')
const CONTROL = list('"\\u0000"¦"a\\u0000b"¦"\\u0001"¦"\\u001f"¦"\\n"¦"\\u007f"¦"\\u0085"¦"\\u009f"')
const ODD = list('"\\ufffe"¦"\\uffff"¦"\\ufdd0"¦"\\ufffd"¦"\\ufeffa"¦"\\u202ea"¦"\\u200ba"')
const LARGE = list(
  '1e400¦-1e400¦1e99999¦123123e100000¦9223372036854775808¦-9223372036854775809¦100000000000000000000',
)
const FRACTIONS = list(
  '1e-400¦-1e-400¦123.456e-789¦1.0000000000000000001¦0.99999999999999999999¦12345678901234567.5',
)
const WHOLE = list('9007199254740993¦9223372036854775807¦-9223372036854775808¦9¦0¦-0¦-0.0¦0e9999999¦-1')
const ONES = list('1¦1.0¦1e0¦10e-1¦0.1e1¦1.000000000000000000000¦1E+0¦100e-2')
const BAD_VALUE = 'validation_failed invalid_value'
const deep = (levels: number): string => create(nested(levels, '[', ']'))
const rest = (members: string): string => `{"name":"Rex","categoryId":1,${members}}`

/**
 * What the grammar leaves to each parser (sections 4, 6, 8.2, 9), as the value of a member that nobody knows,
 * as a name, or as a categoryId, and what it comes to here.
 */
export const OPEN: Open[] = [
  ...all('a lone surrogate nobody stores', SURROGATES, create, 'created'),
  ...all('a lone surrogate is no text', SURROGATES, named, BAD_VALUE),
  ...all('a control character nobody stores', CONTROL, create, 'created'),
  ...all('a control character is no name', CONTROL, named, BAD_VALUE),
  ...all('an odd character is one', ODD, named, 'created'),
  ...all('a large number nobody stores', LARGE, create, 'created'),
  ...all('beyond an int64', LARGE, numbered, 'validation_failed out_of_range'),
  ...all('a fraction is not rounded away', FRACTIONS, numbered, 'validation_failed invalid_type'),
  ...all('an int64, exactly, and no category', WHOLE, numbered, 'validation_failed unknown_category'),
  ...all('the integer 1', ONES, numbered, 'created'),
  ['a byte order mark', '\ufeff{"name":"Rex","categoryId":1}', 'invalid_json'],
  ['a member twice', '{"name":"Rex","name":"Max","categoryId":1}', 'invalid_json'],
  ['a member twice, with one value', '{"name":"Rex","name":"Rex","categoryId":1}', 'invalid_json'],
  ['a member twice, in another spelling', '{"name":"Rex","n\\u0061me":"Max","categoryId":1}', 'invalid_json'],
  ['a member twice, deeper', create('[{"a":1,"a":1}]'), 'invalid_json'],
  ['an empty name twice', rest('"":1,"":2'), 'invalid_json'],
  ['no more than in another letter case', '{"name":"Rex","Name":"Max","categoryId":1}', 'created'],
  ['a member of every object', rest('"constructor":{"prototype":{"a":1}}'), 'created'],
  ['the name of a prototype', rest('"__proto__":{"a":1}'), BAD_VALUE],
  ['the name of a prototype, deeper', rest('"x":{"\\u005f_proto__":1}'), BAD_VALUE],
  ['31 levels in the body', deep(31), 'created'],
  ...[32, 500, 30_000].map((levels): Open => [`${levels} levels`, deep(levels), 'invalid_json']),
  ['60,000 levels, open', `{"name":"Rex","categoryId":1,"extra":${'['.repeat(60_000)}`, 'invalid_json'],
  ['10,000 objects, open', `{"name":"Rex","categoryId":1,"extra":${'{"a":'.repeat(10_000)}`, 'invalid_json'],
  ['a long string', create(`"${'x'.repeat(60_000)}"`), 'created'],
  ['a long number', create('9'.repeat(60_000)), 'created'],
  ['5,000 members', rest(times(5_000, (place) => `"m${place}":1`).join(',')), 'created'],
]
