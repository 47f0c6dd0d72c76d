import { type ErrorDetail, invalidValue } from '../errors.ts'
import { COUNTRY, describePattern, HTTPS } from '../http/text.ts'
import {
  limitOf,
  line,
  lines,
  type MergePatch,
  type PatchableSchema,
  pathId,
  type Static,
  Type,
  toPatchSchema,
} from '../http/type.ts'
import { Photos } from '../photos/storage/stored-photo.ts'

const QUESTION_ID = '^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$'
describePattern(
  QUESTION_ID,
  'Use 1 to 40 lowercase letters and digits, with hyphens or underscores between them.',
)

export const MAX_QUESTIONS = 30
export const MAX_QUESTION_CHARACTERS = 500

const Question = Type.Object(
  {
    id: Type.String({
      description: 'Unique among the questions; answers refer to it.',
      pattern: QUESTION_ID,
    }),
    text: line(MAX_QUESTION_CHARACTERS, 'The question as applicants see it.'),
    kind: Type.Enum(['text', 'yesNo', 'choice'], {
      type: 'string',
      description: 'The kind of answer: text, yes or no, or one of the options.',
    }),
    options: Type.Optional(
      Type.Array(line(200), {
        description: 'The options of a choice; only a choice has options.',
        minItems: 2,
        maxItems: 30,
      }),
    ),
    required: Type.Boolean({ description: 'Whether applicants must answer the question.' }),
  },
  { title: 'ApplicationQuestion', description: 'A question of the application form.' },
)
export type Question = Static<typeof Question>

const Questions = Type.Array(Question, {
  description: 'The questions of the application form, in order. Public.',
  maxItems: MAX_QUESTIONS,
})

/** Removes unknown members from the questions. @returns undefined if no questions are given */
export function cleanQuestions(questions: Question[] | undefined): Question[] | undefined {
  if (!questions?.length) return undefined
  return questions.map(({ id, text, kind, options, required }) => {
    return { id, text, kind, ...(options && { options }), required }
  })
}

/** Checks rules that a schema cannot express. */
export function findQuestionProblems(questions: Question[] = []): ErrorDetail[] {
  const ids = new Set<string>()
  return questions.flatMap(({ id, kind, options }, index) => {
    const problems: ErrorDetail[] = []
    const at = (member: string): string => `/applicationQuestions/${index}/${member}`
    if (ids.has(id))
      problems.push(invalidValue(at('id'), 'Another question has this id. Give each question its own.'))
    ids.add(id)
    if (kind === 'choice' && !options) {
      problems.push({ pointer: at('options'), code: 'missing', message: 'This is required for a choice.' })
    }
    if (kind !== 'choice' && options)
      problems.push(invalidValue(at('options'), 'Only a choice has options. Leave them out.'))
    if (options && new Set(options).size < options.length)
      problems.push(invalidValue(at('options'), 'An option is repeated. Name each option once.'))
    return problems
  })
}

export const CODE = '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,18}[A-Za-z0-9])?$'
describePattern(CODE, 'Use 1 to 20 letters and digits, with hyphens between them, such as CO12.')

const optionalLine = (maxLength: number) => Type.Optional(line(maxLength))
const web = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 2_000, format: 'uri', pattern: HTTPS }))

const Address = Type.Object(
  {
    street: optionalLine(200),
    city: optionalLine(100),
    region: optionalLine(100),
    postcode: optionalLine(20),
    country: Type.Optional(
      Type.String({ description: 'Country code (ISO 3166-1 alpha-2), such as NL.', ...COUNTRY }),
    ),
  },
  { title: 'Address', description: 'The postal address.' },
)

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const hours = Object.fromEntries(DAYS.map((day) => [day, optionalLine(100)])) as Record<
  (typeof DAYS)[number],
  ReturnType<typeof optionalLine>
>

const NETWORKS = [
  'facebook',
  'instagram',
  'tiktok',
  'x',
  'youtube',
  'mastodon',
  'bluesky',
  'linkedin',
] as const
const social = Object.fromEntries(
  NETWORKS.map((network) => [network, web('The page of the organization on this network, with https.')]),
) as Record<(typeof NETWORKS)[number], ReturnType<typeof web>>

const degrees = (description: string, most: number) =>
  Type.Optional(Type.Number({ description, minimum: -most, maximum: most }))

const name = line(200, 'The name of the organization.')
const details = {
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  phone: optionalLine(40),
  address: Type.Optional(Address),
  latitude: degrees('In degrees. Requires longitude.', 90),
  longitude: degrees('In degrees. Requires latitude.', 180),
  website: web('The website, with https.'),
  mission: Type.Optional(lines(5_000, 'About the organization.')),
  adoptionPolicy: Type.Optional(lines(20_000, 'The adoption requirements.')),
  adoptionUrl: web('The organization’s own application page, with https.'),
  hours: Type.Optional(
    Type.Object(hours, { title: 'Hours', description: 'Opening hours, as free text for each day.' }),
  ),
  social: Type.Optional(
    Type.Object(social, { title: 'Social', description: 'The pages of the organization on social media.' }),
  ),
  applicationQuestions: Type.Optional(Questions),
  applicationNotices: Type.Optional(
    Type.Enum(['at_once', 'daily'], {
      type: 'string',
      description: 'When e-mails about new applications are sent to `email`. If absent: immediately. Beta.',
    }),
  ),
}

export const Code = Type.String({
  description: 'A short code that never changes; unique, with upper and lower case as the same.',
  pattern: CODE,
})

export const NewOrganization = Type.Object(
  { code: Type.Optional(Code), name, ...details },
  {
    title: 'NewOrganization',
    description:
      'A shelter or rescue to add. If the code is absent, the service makes one from the region or country ' +
      'and a number.',
  },
)
export type NewOrganization = Static<typeof NewOrganization>

/** The members that can be changed, in the order of responses. */
export const PATCHABLE = { name, ...details }
export type OrganizationDetails = Omit<NewOrganization, 'code'>

const patched = Object.entries(details).map(([member, schema]) => [
  member,
  toPatchSchema(schema as PatchableSchema),
])

export const OrganizationPatch = Type.Unsafe<OrganizationPatch>(
  Type.Object(
    { name: Type.Optional(name), ...Object.fromEntries(patched) },
    {
      title: 'OrganizationPatch',
      description: 'Changes to an organization (RFC 7396): an absent member stays as it is, null removes it.',
    },
  ),
)
export type OrganizationPatch = { name?: string } & {
  [Name in keyof typeof details]?: MergePatch<NonNullable<OrganizationDetails[Name]>>
}

const time = Type.String({ format: 'date-time' })

export const Organization = Type.Object(
  {
    id: Type.Integer({ format: 'int64', description: 'Unique identifier, assigned by the service.' }),
    code: Code,
    name,
    ...details,
    photos: Type.Optional(Photos),
    source: Type.Optional(
      Type.String({
        description:
          'For a copy of an organization of another installation: its page there. The copy is read-only. Beta.',
        format: 'uri',
      }),
    ),
    createdAt: time,
    updatedAt: time,
  },
  { title: 'Organization', description: 'A shelter or rescue.' },
)
export type Organization = Static<typeof Organization>

const ListedOrganization = Type.Object(
  {
    ...Organization.properties,
    distanceMeters: Type.Optional(
      Type.Integer({ description: 'Distance from `near`, along the great circle.', minimum: 0 }),
    ),
  },
  { title: 'ListedOrganization', description: 'A shelter or rescue in a list.' },
)
export type ListedOrganization = Static<typeof ListedOrganization>

export const Organizations = Type.Array(ListedOrganization, {
  title: 'Organizations',
  description: 'A page of organizations.',
})

export const OrganizationQuery = Type.Object({
  limit: limitOf('organizations'),
  q: Type.Optional(
    line(100, 'Only organizations whose name or code contains this text, in upper or lower case.'),
  ),
  country: Type.Optional(
    Type.String({ description: 'Only organizations in this country (ISO 3166-1 alpha-2).', ...COUNTRY }),
  ),
  region: Type.Optional(line(100, 'Only organizations in this region.')),
  near: Type.Optional(
    line(
      100,
      'Only organizations near this place, nearest first: latitude and longitude (52.09,5.12), a US or Canadian ' +
        'postal code, a city with its state or country (Denver, CO), or a US state or Canadian province (CO).',
    ),
  ),
  within: Type.Integer({
    description: 'With `near`: the maximum distance in kilometers.',
    minimum: 1,
    maximum: 500,
    default: 160,
  }),
  cursor: Type.Optional(Type.String({ description: 'Start of the page, as found in a Link header.' })),
})
export type OrganizationQuery = Static<typeof OrganizationQuery>

export const OrganizationPath = Type.Object({ organizationId: pathId('Identifier of the organization.') })
