import { type Removable, type Rules, removable } from '../http/merge-patch.ts'
import { COUNTRY, HTTPS, LINES, ONE_LINE, setRule } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'
import { Photos } from '../photos/storage/kept.ts'
import { Questions } from './questions.ts'

export const CODE = '^[A-Za-z0-9](?:[A-Za-z0-9-]{0,18}[A-Za-z0-9])?$'
setRule(CODE, 'This must have 1 to 20 letters and digits, with hyphens between them, such as CO12.')

const line = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength, pattern: ONE_LINE }))
const lines = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ description, minLength: 1, maxLength, pattern: LINES }))
const web = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 2_000, format: 'uri', pattern: HTTPS }))

const Address = Type.Object(
  {
    street: line(200),
    city: line(100),
    region: line(100),
    postcode: line(20),
    country: Type.Optional(Type.String({ description: 'Its code in ISO 3166: NL.', ...COUNTRY })),
  },
  { title: 'Address', description: 'Where it is.' },
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
const social = Object.fromEntries(NETWORKS.map((network) => [network, web('With https.')])) as Record<
  (typeof NETWORKS)[number],
  ReturnType<typeof web>
>

const degrees = (description: string, most: number) =>
  Type.Optional(Type.Number({ description, minimum: -most, maximum: most }))

/** What may be changed, and what may be removed; a name has to be there. */
const name = Type.String({
  description: 'What people call it.',
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
})
const details = {
  email: Type.Optional(Type.String({ format: 'email', maxLength: 254 })),
  phone: line(40),
  address: Type.Optional(Address),
  latitude: degrees('In degrees; with a longitude.', 90),
  longitude: degrees('In degrees; with a latitude.', 180),
  website: web('Its own pages, with https.'),
  mission: lines(5_000, 'What it is there for.'),
  adoptionPolicy: lines(20_000, 'What it asks of those who adopt.'),
  adoptionUrl: web('Where people apply, with https.'),
  hours: Type.Optional(Type.Object(hours, { title: 'Hours', description: 'When it is open, in words.' })),
  social: Type.Optional(Type.Object(social, { title: 'Social', description: 'Its pages elsewhere.' })),
  applicationQuestions: Type.Optional(Questions),
}

export const Code = Type.String({
  description: 'Short, unique whatever the case of its letters, and for good.',
  pattern: CODE,
})

export const NewOrganization = Type.Object(
  { code: Type.Optional(Code), name, ...details },
  {
    title: 'NewOrganization',
    description:
      'A shelter or rescue to add. Without a code it gets one, of its region or country and a number.',
  },
)
export type NewOrganization = Static<typeof NewOrganization>

/** In the order in which they are shown. */
export const PATCHED = { name, ...details }
export type Details = Omit<NewOrganization, 'code'>

const patched = Object.entries(details).map(([member, schema]) => [member, removable(schema as Rules)])

export const OrganizationPatch = Type.Unsafe<OrganizationPatch>(
  Type.Object(
    { name: Type.Optional(name), ...Object.fromEntries(patched) },
    {
      title: 'OrganizationPatch',
      description:
        'What to change of an organization (RFC 7396); members that are absent stay as they are, null removes one.',
    },
  ),
)
export type OrganizationPatch = { name?: string } & {
  [Name in keyof typeof details]?: Removable<NonNullable<Details[Name]>>
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

const Listed = Type.Object(
  {
    ...Organization.properties,
    distanceMeters: Type.Optional(
      Type.Integer({ description: 'From the place in `near`, along the great circle.', minimum: 0 }),
    ),
  },
  { title: 'ListedOrganization', description: 'A shelter or rescue, as a list has it.' },
)
export type Listed = Static<typeof Listed>

export const Organizations = Type.Array(Listed, {
  title: 'Organizations',
  description: 'A page of organizations.',
})

/** A latitude and a longitude; anything else is the name of a place. */
export const NEAR = '^-?[0-9]{1,2}(?:[.][0-9]{1,12})?,-?[0-9]{1,3}(?:[.][0-9]{1,12})?$'
export const OrganizationQuery = Type.Object({
  limit: Type.Integer({
    description: 'Maximum number of organizations returned.',
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
  q: Type.Optional(
    Type.String({
      description: 'Only those whose name or code has this in it, whatever the case of its letters.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
    }),
  ),
  country: Type.Optional(Type.String({ description: 'Only those in this country (ISO 3166).', ...COUNTRY })),
  region: Type.Optional(
    Type.String({
      description: 'Only those in this region.',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
    }),
  ),
  near: Type.Optional(
    Type.String({
      description:
        'Nearest first: to a latitude and longitude (52.09,5.12), a postcode of the United States or Canada, or a ' +
        'city with its state or country (Denver, CO).',
      minLength: 1,
      maxLength: 100,
      pattern: ONE_LINE,
    }),
  ),
  within: Type.Integer({
    description: 'With `near`: at most so many kilometres away.',
    minimum: 1,
    maximum: 500,
    default: 160,
  }),
  cursor: Type.Optional(
    Type.String({ description: 'Where the page begins: only as found in a Link header.' }),
  ),
})
export type OrganizationQuery = Static<typeof OrganizationQuery>

export const OrganizationPath = Type.Object({
  // Described as an integer and read as text: what is no int64 names no organization, and is a 404.
  organizationId: Type.Unsafe<string>({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the organization.',
  }),
})
