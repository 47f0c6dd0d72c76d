import { COUNTRY, CURRENCY, HTTPS, LINES, ONE_LINE } from '../http/text.ts'
import { type TProperties, Type } from '../http/type.ts'

// What the members of an animal beside the contract's four hold. All of them are optional.

/** The contract's own members are stable; these may still change, with notice. */
const BETA = { 'x-stability': 'beta' }

const line = (maxLength: number, description?: string) =>
  Type.String({ ...(description && { description, ...BETA }), minLength: 1, maxLength, pattern: ONE_LINE })

const oneOf = <const Values extends string[]>(values: Values, description: string) =>
  Type.Enum(values, { type: 'string', description, ...BETA })

const object = <Properties extends TProperties>(title: string, description: string, properties: Properties) =>
  Type.Object(properties, { title, description, ...BETA })

const yesOrNo = Type.Optional(Type.Boolean())

/** An RFC 3339 full-date. */
const date = (description: string) => Type.String({ format: 'date', description, ...BETA })

export const ExternalId = line(80, 'The number its shelter gave it: unique in its organization.')

export const Species = line(60, 'What kind of animal it is, finer than its category: Guinea Pig.')

export const Breed = object('Breed', 'The breed, as the shelter names it.', {
  primary: line(80),
  secondary: Type.Optional(line(80)),
  mixed: yesOrNo,
  unknown: yesOrNo,
})

export const Colors = Type.Array(line(60), {
  description: 'Its colors, the most seen first.',
  minItems: 1,
  maxItems: 3,
  ...BETA,
})

export const Coat = oneOf(['hairless', 'short', 'medium', 'long', 'wire', 'curly'], 'Its hair.')

export const BirthDate = date('From 1950-01-01 to today. The age follows from it.')

export const BirthDateExact = Type.Boolean({
  description: 'Whether the birth date is known, and not a guess; only with a `birthDate`.',
  ...BETA,
})

export const AGES = ['baby', 'young', 'adult', 'senior'] as const
export type Age = (typeof AGES)[number]
export const AgeGroup = oneOf([...AGES], 'With a `birthDate` it follows from that: another one is refused.')

export const Sex = oneOf(['female', 'male', 'unknown'], 'Its sex.')

export const Size = oneOf(['small', 'medium', 'large', 'extra_large'], 'Among animals of its kind.')

export const WeightGrams = Type.Integer({
  description: 'Its weight in grams.',
  minimum: 1,
  maximum: 2_000_000,
  ...BETA,
})

export const Description = Type.String({
  description: 'What people should know of it: plain text with line ends, returned as sent.',
  minLength: 1,
  maxLength: 20_000,
  pattern: LINES,
  ...BETA,
})

export const Traits = object('Traits', 'What is known of it; absent where it is not known.', {
  spayedNeutered: yesOrNo,
  houseTrained: yesOrNo,
  declawed: yesOrNo,
  specialNeeds: yesOrNo,
  vaccinated: yesOrNo,
})

export const GoodWith = object('GoodWith', 'With whom it can live; absent where it is not known.', {
  children: yesOrNo,
  dogs: yesOrNo,
  cats: yesOrNo,
})

export const Tags = Type.Array(line(40), {
  description: 'Words to find it by, each once whatever the case of its letters.',
  minItems: 1,
  maxItems: 20,
  ...BETA,
})

export const Fee = object('Fee', 'What an adoption costs.', {
  amount: Type.Integer({
    description: 'In the smallest unit of the currency: cents, for example.',
    minimum: 0,
    maximum: 1_000_000_000,
  }),
  currency: Type.String({
    description: 'Its code in ISO 4217: EUR.',
    ...CURRENCY,
  }),
})

export const MAX_BONDED = 5

export const BondedWith = Type.Array(
  Type.Integer({ format: 'int64', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
  {
    description:
      'Identifiers of the animals that are adopted together with it, and name it too: what one has, all have.',
    minItems: 1,
    maxItems: MAX_BONDED,
    ...BETA,
  },
)

export const Videos = Type.Array(Type.String({ format: 'uri', maxLength: 2_000, pattern: HTTPS }), {
  description: 'Addresses of videos, with https.',
  minItems: 1,
  maxItems: 5,
  ...BETA,
})

export const Contact = object('Contact', 'Whom to ask about it. Everybody sees this.', {
  name: Type.Optional(line(200)),
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  phone: Type.Optional(line(40)),
})

export const Place = object('Place', 'Where it is. Keys with `read` access see the coordinates to 0.01°.', {
  city: Type.Optional(line(100)),
  region: Type.Optional(line(100, 'A state or province.')),
  postcode: Type.Optional(line(20)),
  country: Type.Optional(Type.String({ description: 'Its code in ISO 3166: NL.', ...COUNTRY })),
  latitude: Type.Optional(
    Type.Number({ description: 'In degrees; with a longitude.', minimum: -90, maximum: 90 }),
  ),
  longitude: Type.Optional(
    Type.Number({ description: 'In degrees; with a latitude.', minimum: -180, maximum: 180 }),
  ),
})

export const Staff = object('Staff', 'For keys with `write` access alone: others never see any of it.', {
  microchip: Type.Optional(line(40)),
  intakeDate: Type.Optional(Type.String({ format: 'date', description: 'When it came.' })),
  intakeKind: Type.Optional(line(60, 'How it came: stray, surrender, transfer.')),
  intakeNote: Type.Optional(Type.String({ minLength: 1, maxLength: 5_000, pattern: LINES })),
  kennel: Type.Optional(line(60)),
  notes: Type.Optional(Type.String({ minLength: 1, maxLength: 20_000, pattern: LINES })),
})
