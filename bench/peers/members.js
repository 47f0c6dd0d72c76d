import { z } from 'zod'

// What the animals of the bench have beside name, category and status, for who validates with JSON Schema and
// for who does with zod.

const text = { type: 'string', minLength: 1, maxLength: 200 }
const flag = { type: 'boolean' }
const flags = (...names) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, flag])),
})

export const properties = {
  breed: {
    type: 'object',
    additionalProperties: false,
    required: ['primary'],
    properties: { primary: text, secondary: text, mixed: flag },
  },
  colors: { type: 'array', maxItems: 3, items: text },
  coat: { type: 'string', enum: ['short', 'medium', 'long'] },
  birthDate: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d$' },
  birthDateExact: flag,
  sex: { type: 'string', enum: ['female', 'male', 'unknown'] },
  size: { type: 'string', enum: ['small', 'medium', 'large'] },
  weightGrams: { type: 'integer', minimum: 1 },
  description: { type: 'string', maxLength: 10_000 },
  traits: flags('spayedNeutered', 'vaccinated', 'houseTrained'),
  goodWith: flags('children', 'dogs', 'cats'),
  tags: { type: 'array', maxItems: 20, items: text },
  fee: {
    type: 'object',
    additionalProperties: false,
    required: ['amount', 'currency'],
    properties: {
      amount: { type: 'integer', minimum: 0 },
      currency: { type: 'string', pattern: '^[A-Z]{3}$' },
    },
  },
  place: {
    type: 'object',
    additionalProperties: false,
    properties: {
      city: text,
      region: text,
      country: { type: 'string', pattern: '^[A-Z]{2}$' },
      latitude: { type: 'number', minimum: -90, maximum: 90 },
      longitude: { type: 'number', minimum: -180, maximum: 180 },
    },
  },
  staff: {
    type: 'object',
    additionalProperties: false,
    properties: { intakeKind: text, kennel: text },
  },
}

const Text = z.string().min(1).max(200)
const Flag = z.boolean().optional()

export const members = {
  breed: z.strictObject({ primary: Text, secondary: Text.optional(), mixed: Flag }).optional(),
  colors: z.array(Text).max(3).optional(),
  coat: z.enum(properties.coat.enum).optional(),
  birthDate: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/)
    .optional(),
  birthDateExact: Flag,
  sex: z.enum(properties.sex.enum).optional(),
  size: z.enum(properties.size.enum).optional(),
  weightGrams: z.int().min(1).optional(),
  description: z.string().max(10_000).optional(),
  traits: z.strictObject({ spayedNeutered: Flag, vaccinated: Flag, houseTrained: Flag }).optional(),
  goodWith: z.strictObject({ children: Flag, dogs: Flag, cats: Flag }).optional(),
  tags: z.array(Text).max(20).optional(),
  fee: z.strictObject({ amount: z.int().min(0), currency: z.string().regex(/^[A-Z]{3}$/) }).optional(),
  place: z
    .strictObject({
      city: Text.optional(),
      region: Text.optional(),
      country: z
        .string()
        .regex(/^[A-Z]{2}$/)
        .optional(),
      latitude: z.number().min(-90).max(90).optional(),
      longitude: z.number().min(-180).max(180).optional(),
    })
    .optional(),
  staff: z.strictObject({ intakeKind: Text.optional(), kennel: Text.optional() }).optional(),
}
