import assert from 'node:assert/strict'
import { test } from 'node:test'
import { birthDateOf, parseAge, parseBreeds, parseFee, parseSex, splitWords } from './phrases.ts'
import { AGES, COATS, FLAGS, isNothing, parseWeight, SIZES } from './word-lists.ts'

test('words for the sex also say whether the animal is spayed or neutered', () => {
  const read = (text: string) => {
    const { sex, spayedNeutered } = parseSex(text) ?? {}
    return [sex, spayedNeutered]
  }
  const texts: [result: unknown[], texts: string[]][] = [
    [
      ['female', true],
      [
        'Spayed Female',
        'Spayed Female (vet confirmed)',
        'F/S',
        'FS',
        'Female (spayed)',
        'Spayed',
        'Hembra esterilizada',
        'SF',
      ],
    ],
    [
      ['male', true],
      [
        'Neutered Male',
        'Neut. Male',
        'M/N',
        'MN',
        'altered male',
        'macho castrado',
        'M (N)',
        'Gelding',
        'neutered male cat',
        'wether',
      ],
    ],
    [
      ['female', false],
      [
        'Intact Female',
        'female, not spayed',
        'Hembra no esterilizada',
        'FI',
        'unspayed female',
        'hembra sin esterilizar',
      ],
    ],
    [
      ['male', false],
      ['Intact Male', 'M/I', 'Male - unneutered', 'macho entero'],
    ],
    [
      ['female', undefined],
      ['FEMALE', 'f.', 'hembra', 'F/U', '♀', 'H/E', 'Female - spay pending', 'female (to be spayed)'],
    ],
    [
      ['unknown', undefined],
      ['Unknown', '?', 'desconocido'],
    ],
    [
      [undefined, true],
      ['Fixed', 'Spayed/Neutered'],
    ],
    // A doubt, two sexes, and words without a meaning here.
    [
      [undefined, undefined],
      ['F?', 'Male/Female', 'spayed - no', 'N', 'female in heat', 'x'.repeat(10_000)],
    ],
  ]
  for (const [result, all] of texts) for (const text of all) assert.deepEqual(read(text), result, text)
})

test('an age in words gives a birth date, unless it has several meanings', () => {
  const ages: Record<string, string[]> = {
    '2024-08-28': [
      '2 years 3 months',
      '2Y/3M',
      '2yrs, 3 mos.',
      '2 años y 3 meses',
      'two years, three months',
      '2a 3m',
      '2 a 3 m',
    ],
    '2024-11-28': [
      '2 years',
      '2yo',
      '2 y/o',
      'about 2 years old',
      '~2 yrs',
      '2 años',
      '2 a',
      'Approx. 2 yrs',
    ],
    '2026-10-03': ['8 weeks', '8 wks', '8w', 'Kitten, 8 wks', '8 semanas'],
    '2026-05-28': ['6m', '6 months', 'half a year', '½ year', '6 meses', '.5 yrs'],
    '2023-05-28': ['3.5 yrs', '3½ years', '3 and a half years', '3,5 años', '3 años y medio', '3-4 yrs'],
    '2014-11-28': ['12+ years', 'over 12 years', 'doce años'],
    '2026-11-28': ['0 years', '0 months'],
    '': [
      '2',
      '<1 year',
      'under 2 years',
      '6 months - 1 year',
      'Adult',
      '2019',
      'young',
      '9'.repeat(99),
      '300 years',
    ],
  }
  for (const [date, texts] of Object.entries(ages))
    for (const text of texts) {
      const span = parseAge(text)
      assert.equal(span ? birthDateOf(span, '2026-11-28') : '', date, text)
    }
  assert.deepEqual(parseAge('7', 'weeks'), parseAge('7 weeks'))
  assert.equal(birthDateOf({ months: 1, days: 0, unitDays: 31 }, '2026-03-31'), '2026-02-28')
})

test('the first amount of a fee counts, and a number that is not an amount does not', () => {
  const fees: [cents: number | undefined, texts: string[]][] = [
    [0, ['free', 'Waived', 'no fee', 'Gratis', '$0', 'Sin costo']],
    [
      5_000,
      [
        '$50 (or $80 for two)',
        '50',
        '$50.00',
        'US$ 50',
        '50 USD',
        'USD 50',
        '50 (80 for two)',
        '50/80',
        '50 €',
        'was $100 now $50',
        'Antes 80 €, ahora 50 €',
      ],
    ],
    [8_000, ['2 for $80', '$80 - $120']],
    [150_000, ['$1.500 MXN', '1.500 €', '$1,500', '1.500,00 €']],
    [undefined, ['2 for 80', '$50 off', '$1.5k', 'donation', 'call', 'ask us', '']],
  ]
  for (const [cents, texts] of fees) for (const text of texts) assert.equal(parseFee(text, 100), cents, text)
})

test('words for mixed and unknown breeds are not read as names of breeds', () => {
  const lab = 'Labrador Retriever'
  const mixed = { primary: lab, mixed: true }
  const breeds: [breed: unknown, texts: string[]][] = [
    ...[
      `${lab} / Mix`,
      `${lab} Mix`,
      `${lab}/Mix`,
      `${lab} x`,
      `${lab} cross`,
      `${lab} (mix)`,
      `${lab}, mixed`,
      `${lab} mix?`,
      `${lab} [mix]`,
      `${lab} mix (large)`,
      `${lab} Mix Medium`,
      'Retriever, Labrador Mix',
    ].map((text): [unknown, string[]] => [mixed, [text]]),
    [mixed, [lab, 'Mix']],
    [mixed, [`Cruce de ${lab}`]],
    [mixed, [`${lab} Mix`, lab]],
    [{ primary: 'Mixed Breed', mixed: true }, ['Mixed Breed (Large)']],
    [{ primary: 'Mixed Breed', mixed: true }, ['Mixed Breed, Medium (up to 44 lbs fully grown)']],
    [{ primary: 'Mixed Breed', mixed: true }, ['Mestizo']],
    [{ primary: 'Dog', unknown: true }, ['Unknown']],
    [{ primary: 'Lab', secondary: 'Shepherd', mixed: true }, ['Lab/Shepherd X']],
    [{ primary: 'Lab', secondary: 'Poodle', mixed: true }, ['Lab x Poodle']],
    [{ primary: 'Boxer', secondary: 'Bullmastiff', mixed: true }, ['Boxer/Bullmastiff']],
    [{ primary: 'Domestic Shorthair' }, ['Domestic Shorthair', 'domestic shorthair']],
    [{ primary: 'German Shepherd Dog' }, ['German Shepherd Dog', 'Unknown']],
    [
      { primary: 'Australian Cattle Dog / Blue Heeler', mixed: true },
      ['Australian Cattle Dog / Blue Heeler Mix'],
    ],
    [{ primary: 'Australian Cattle Dog / Blue Heeler' }, ['Australian Cattle Dog/Blue Heeler']],
    [{ primary: 'Pit Bull Terrier' }, ['Terrier, Pit Bull']],
    [{ primary: 'German Shepherd', mixed: true }, ['Shepherd, German', 'Mix']],
    [{ primary: 'Shepherd, Husky' }, ['Shepherd, Husky']],
    [{ primary: 'Mixed Breed', mixed: true }, ['Sin raza definida']],
    [{ primary: 'Texel' }, ['Texel']],
    [{ primary: 'Collie', mixed: true }, ['Collie', 'Mixed Breed']],
    [{ primary: 'Hound', mixed: true }, ['Mixed Breed / Hound']],
    [{ primary: 'Mixed Breed', mixed: true }, ['X-Breed']],
    [{ primary: 'German Shepherd Dog', secondary: 'Husky', mixed: true }, ['German Shepherd Dog & Husky']],
    [{ primary: 'Rottweiler', secondary: 'Lab', mixed: true }, ['Rottweiler mixed with Lab']],
    [{ primary: 'mastín', secondary: 'pastor', mixed: true }, ['Cruce de mastín y pastor']],
    [{ primary: 'Black and Tan Coonhound' }, ['Black and Tan Coonhound']],
    [undefined, ['N/A']],
  ]
  for (const [breed, texts] of breeds)
    assert.deepEqual(parseBreeds(texts, { kind: 'Dog' }).breed, breed, texts.join(' and '))
  assert.deepEqual(parseBreeds(['A/B/C mix']).more, ['C'])
  assert.deepEqual(parseBreeds(['A', 'B'], { mixed: false }).breed, {
    primary: 'A',
    secondary: 'B',
    mixed: false,
  })
})

test('a weight may be about right, or in pounds and ounces', () => {
  const weights: [grams: number | undefined, text: string][] = [
    [9_072, '~20 lbs'],
    [9_072, 'approx. 20 lb'],
    [5_443, '12#'],
    [2_353, '5 lb 3 oz'],
    [2_353, '5 lbs, 3 ounces'],
    [3_500, '3,5 kilos'],
    [undefined, '20-30 lbs'],
  ]
  for (const [grams, text] of weights) assert.equal(parseWeight(text, 1_000), grams, text)
})

test('colors are split at slashes, but not in the names of Petfinder or in brackets', () => {
  assert.deepEqual(splitWords('Black/White'), ['Black', 'White'])
  assert.deepEqual(splitWords('White/None'), ['White'])
  assert.deepEqual(splitWords('Brown / Chocolate'), ['Brown / Chocolate'])
  assert.deepEqual(splitWords('Tabby (Gray / Blue / Silver)'), ['Tabby (Gray / Blue / Silver)'])
})

test('words are read in any case, with accents or without, and with a note where that is safe', () => {
  for (const yes of ['Yes', 'YES!', 'Sí', 'si', '✓', 'x', 'True', 'verdadero', '1.0', 'Checked'])
    assert.equal(FLAGS.get(yes), true, yes)
  for (const no of ['No', 'N', 'false', '✗', 'never', '☐', '0.0']) assert.equal(FLAGS.get(no), false, no)
  for (const unknown of ['?', 'not tested', 'No se sabe', 'no sé', 'Don’t know', "don't know"])
    assert.equal(FLAGS.get(unknown), null, unknown)
  const conditional =
    'yes?; yes*; * yes; Y†; Yes...; Yes…; ~yes; Yes -; Yes (with care); 1+; Over 12; no idea'
  const sentences = ['yes, only with older children', 'Yes - slowly', 'Yes\nnot alone']
  for (const other of [...conditional.split('; '), ...sentences])
    assert.equal(FLAGS.get(other), undefined, other)
  assert.deepEqual(
    ['Large (60-99)', 'X-Large', 'Medium 26-60 lbs', 'pequeña', 'Medium/Large', 'KITTN', 'X-LRG'].map(
      (text) => SIZES.get(text),
    ),
    ['large', 'extra_large', 'medium', 'small', undefined, 'small', 'extra_large'],
  )
  assert.deepEqual(
    ['Short-haired', 'Pelo largo', 'fluffy', 'Wirehair', 'Semi-long'].map((text) => COATS.get(text)),
    ['short', 'long', undefined, 'wire', 'medium'],
  )
  assert.deepEqual([AGES.get('Adult (3 yrs)'), AGES.get('Cria')], ['adult', 'baby'])
  for (const nothing of ['None', 'N/A', 'n.a.', '-', '--', 'null', '(blank)'])
    assert.ok(isNothing(nothing), nothing)
  for (const name of ['Nan', 'Na Na', 'Nil', 'No Name']) assert.ok(!isNothing(name), name)
})
