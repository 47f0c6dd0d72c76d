import { type MergePatch, type PatchableSchema, toPatchSchema } from '../http/merge-patch.ts'
import { COUNTRY, describePattern, HTTPS, MULTILINE, ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'
import { Photos } from '../photos/storage/stored-photo.ts'
import { Questions } from './questions.ts'

export const CODE = '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,18}[A-Za-z0-9])?$'
describePattern(CODE, 'Use 1 to 20 letters and digits, with hyphens between them, such as CO12.')

const line = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength, pattern: ONE_LINE }))
const lines = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ description, minLength: 1, maxLength, pattern: MULTILINE }))
const web = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 2_000, format: 'uri', pattern: HTTPS }))

const Address = Type.Object(
  {
    street: line(200),
    city: line(100),
    region: line(100),
    postcode: line(20),
    country: Type.Optional(
      Type.String({ description: 'Country code (ISO 3166-1 alpha-2), such as NL.', ...COUNTRY }),
    ),
  },
  { title: 'Address', description: 'The postal address.' },
)

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
const hours = Object.fromEntries(DAYS.map((day) => [day, line(100)])) as Record<
  (typeof DAYS)[number],
  ReturnType<typeof line>
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

const name = Type.String({
  description: 'The name of the organization.',
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
})
const details = {
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  phone: line(40),
  address: Type.Optional(Address),
  latitude: degrees('In degrees. Requires longitude.', 90),
  longitude: degrees('In degrees. Requires latitude.', 180),
  website: web('The website, with https.'),
  mission: lines(5_000, 'About the organization.'),
  adoptionPolicy: lines(20_000, 'The adoption requirements.'),
  adoptionUrl: web('The application page of the organization itself, with https.'),
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
      description: 'When e-mails about new applications are sent to `email`; without it, at once. Beta.',
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
  limit: Type.Integer({
    description: 'Maximum number of organizations returned.',
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
  q: Type.Optional(
    Type.String({
      description: 'Only organizations whose name or code contains this text, in upper or lower case.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
    }),
  ),
  country: Type.Optional(
    Type.String({ description: 'Only organizations in this country (ISO 3166-1 alpha-2).', ...COUNTRY }),
  ),
  region: Type.Optional(
    Type.String({
      description: 'Only organizations in this region.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
    }),
  ),
  near: Type.Optional(
    Type.String({
      description:
        'Only organizations near this place, nearest first: latitude and longitude (52.09,5.12), a US or Canadian ' +
        'postal code, a city with its state or country (Denver, CO), or a US state or Canadian province (CO).',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
    }),
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

export const OrganizationPath = Type.Object({
  // The description says integer, but the service reads text. An invalid id is therefore a 404 and not a 400.
  organizationId: Type.Unsafe<string>({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the organization.',
  }),
})
