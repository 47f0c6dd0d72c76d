// JSON texts, and texts that are nearly JSON, of the kinds on which parsers are known to disagree (RFC 8259).

/** Cases in as few lines as they need. */
const list = (...lines: string[]): string[] => lines.join('¦').split('¦')
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
  ...[
    '\x7f',
    '\x80',
    '\xa0',
    'é',
    'ß',
    '\u2028',
    '\u2029',
    '\u3000',
    '\ue000',
    '\ufdd0',
    '\ufeff',
    '\ufffd',
  ].map((one) => `"${one}"`),
  ...['\uffff', '\u{10000}', '😀', '\u{10ffff}', 'a\u0301', '\u202e', '日本語', 'a\\ud83d\\ude00b'].map(
    (one) => `"${one}"`,
  ),
  ...[
    0, 1, 0x1f, 0x22, 0x2f, 0x5c, 0x7f, 0xe9, 0x7ff, 0x800, 0x2028, 0xd7ff, 0xe000, 0xfeff, 0xfffd, 0xffff,
  ].map((code) => `"${hex(code)}"`),
  ...['\\uD834\\uDD1E', '\\ud834\\udd1e', '\\udbff\\udfff', '\\ud800\\udc00', '\\u00E9', '\\u00e9'].map(
    (one) => `"${one}"`,
  ),
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
const OTHER_SPACES = [
  '\v',
  '\f',
  '\0',
  '\x1b',
  '\x85',
  '\xa0',
  '\u1680',
  '\u2003',
  '\u2028',
  '\u2029',
  '\u200b',
  '\u3000',
  '\ufeff',
  '\u2060',
  '\xad',
]

/** No JSON, as the whole of a body and as a value in one. */
export const WRONG: string[] = [
  ...BAD_NUMBERS,
  ...BAD_STRINGS,
  ...BAD_STRUCTURES,
  ...BAD_LITERALS,
  ...OTHER_SPACES.flatMap((space) => [
    `${space}1`,
    `1${space}`,
    `[${space}1]`,
    `{"a"${space}:1}`,
    `{"a":${space}1}`,
  ]),
]

/** No UTF-8, which a body has to be (section 8.1): what stands in a string. */
export const NO_UTF8: number[][] = [
  ...Array.from({ length: 0x80 }, (_, place) => [0x80 + place]),
  ...Array.from({ length: 0x20 }, (_, place) => [0xc0 + place, 0x41]),
  ...[0xc0, 0xc1].flatMap((lead) => [0x80, 0xaf, 0xbf].map((next) => [lead, next])),
  ...Array.from({ length: 0x20 }, (_, place) => [0xed, 0xa0 + place, 0x80]),
  ...[
    [0xe0, 0x80, 0xaf],
    [0xe0, 0x9f, 0xbf],
    [0xf0, 0x80, 0x80, 0xaf],
    [0xf0, 0x8f, 0xbf, 0xbf],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x90],
  ],
  ...[
    [0xf4, 0x90, 0x80, 0x80],
    [0xf5, 0x80, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xfc, 0x84, 0x80, 0x80, 0x80, 0x80],
  ],
  ...[
    [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    [0xe2, 0x28, 0xa1],
    [0xf0, 0x28, 0x8c, 0xbc],
    [0x80, 0xbf],
    [0xff, 0xfe],
    [0xfe, 0xff],
  ],
]

/** The code of the answer, and of its first detail; "created" for a 201. */
export type Outcome = 'created' | 'invalid_json' | `validation_failed ${string}`

const nested = (levels: number, open: string, close: string): string =>
  open.repeat(levels) + close.repeat(levels)

/**
 * What the grammar leaves to each parser (sections 4, 6, 8.2, 9), as the value of a member that nobody knows,
 * as a name, or as a categoryId, and what it comes to here.
 */
export const OPEN: [why: string, body: string, outcome: Outcome][] = [
  ...list('"\\ud800"¦"\\udfff"¦"\\ud800\\ud800"¦"\\udc00\\ud800"¦"a\\ud800b"¦"\\ud83d\\u0041"').flatMap(
    (text): typeof OPEN => [
      ['a lone surrogate nobody stores', `{"name":"Rex","categoryId":1,"extra":${text}}`, 'created'],
      ['a lone surrogate is no text', `{"name":${text},"categoryId":1}`, 'validation_failed invalid_value'],
    ],
  ),
  ...list('"\\u0000"¦"a\\u0000b"¦"\\u0001"¦"\\u001f"¦"\\n"¦"\\u007f"¦"\\u0085"¦"\\u009f"').flatMap(
    (text): typeof OPEN => [
      ['a control character nobody stores', `{"name":"Rex","categoryId":1,"extra":${text}}`, 'created'],
      [
        'a control character is no name',
        `{"name":${text},"categoryId":1}`,
        'validation_failed invalid_value',
      ],
    ],
  ),
  ...list('"\\ufffe"¦"\\uffff"¦"\\ufdd0"¦"\\ufffd"¦"\\ufeffa"¦"\\u202ea"¦"\\u200ba"').map(
    (text): (typeof OPEN)[number] => [
      'an odd character is one',
      `{"name":${text},"categoryId":1}`,
      'created',
    ],
  ),
  ...list(
    '1e400¦-1e400¦1e99999¦123123e100000¦9223372036854775808¦-9223372036854775809¦100000000000000000000',
  ).flatMap((text): typeof OPEN => [
    ['a large number nobody stores', `{"name":"Rex","categoryId":1,"extra":${text}}`, 'created'],
    ['beyond an int64', `{"name":"Rex","categoryId":${text}}`, 'validation_failed out_of_range'],
  ]),
  ...list('1e-400¦-1e-400¦123.456e-789¦1.0000000000000000001¦0.99999999999999999999¦12345678901234567.5').map(
    (text): (typeof OPEN)[number] => [
      'a fraction is not rounded away',
      `{"name":"Rex","categoryId":${text}}`,
      'validation_failed invalid_type',
    ],
  ),
  ...list('9007199254740993¦9223372036854775807¦-9223372036854775808¦9¦0¦-0¦-0.0¦0e9999999¦-1').map(
    (text): (typeof OPEN)[number] => [
      'an int64, exactly, and no category',
      `{"name":"Rex","categoryId":${text}}`,
      'validation_failed unknown_category',
    ],
  ),
  ...list('1¦1.0¦1e0¦10e-1¦0.1e1¦1.000000000000000000000¦1E+0¦100e-2').map((text): (typeof OPEN)[number] => [
    'the integer 1',
    `{"name":"Rex","categoryId":${text}}`,
    'created',
  ]),
  ['a byte order mark', '\ufeff{"name":"Rex","categoryId":1}', 'invalid_json'],
  ['a member twice', '{"name":"Rex","name":"Max","categoryId":1}', 'invalid_json'],
  ['a member twice, with one value', '{"name":"Rex","name":"Rex","categoryId":1}', 'invalid_json'],
  ['a member twice, in another spelling', '{"name":"Rex","n\\u0061me":"Max","categoryId":1}', 'invalid_json'],
  ['a member twice, deeper', '{"name":"Rex","categoryId":1,"extra":[{"a":1,"a":1}]}', 'invalid_json'],
  ['an empty name twice', '{"name":"Rex","categoryId":1,"":1,"":2}', 'invalid_json'],
  ['no more than in another letter case', '{"name":"Rex","Name":"Max","categoryId":1}', 'created'],
  [
    'a member of every object',
    '{"name":"Rex","categoryId":1,"constructor":{"prototype":{"a":1}}}',
    'created',
  ],
  [
    'the name of a prototype',
    '{"name":"Rex","categoryId":1,"__proto__":{"a":1}}',
    'validation_failed invalid_value',
  ],
  [
    'the name of a prototype, deeper',
    '{"name":"Rex","categoryId":1,"x":{"\\u005f_proto__":1}}',
    'validation_failed invalid_value',
  ],
  ['31 levels in the body', `{"name":"Rex","categoryId":1,"extra":${nested(31, '[', ']')}}`, 'created'],
  ['32 levels in the body', `{"name":"Rex","categoryId":1,"extra":${nested(32, '[', ']')}}`, 'invalid_json'],
  ['500 levels', `{"name":"Rex","categoryId":1,"extra":${nested(500, '[', ']')}}`, 'invalid_json'],
  ['30,000 levels', `{"name":"Rex","categoryId":1,"extra":${nested(30_000, '[', ']')}}`, 'invalid_json'],
  ['60,000 levels, open', `{"name":"Rex","categoryId":1,"extra":${'['.repeat(60_000)}`, 'invalid_json'],
  ['10,000 objects, open', `{"name":"Rex","categoryId":1,"extra":${'{"a":'.repeat(10_000)}`, 'invalid_json'],
  ['a long string', `{"name":"Rex","categoryId":1,"extra":"${'x'.repeat(60_000)}"}`, 'created'],
  ['a long number', `{"name":"Rex","categoryId":1,"extra":${'9'.repeat(60_000)}}`, 'created'],
  [
    '10,000 members',
    `{"name":"Rex","categoryId":1${Array.from({ length: 5_000 }, (_, place) => `,"m${place}":1`).join('')}}`,
    'created',
  ],
]
