import { type Rules, removable } from '../http/merge-patch.ts'
import { LINES, ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'

export const ApplicationStatus = Type.Enum(['received', 'in_review', 'approved', 'declined', 'withdrawn'], {
  type: 'string',
  title: 'ApplicationStatus',
  description: 'Open while received or in_review; approved once its order is placed.',
})
export type ApplicationStatus = Static<typeof ApplicationStatus>

const line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: ONE_LINE })
const lines = (maxLength: number, description?: string) =>
  Type.String({ ...(description && { description }), minLength: 1, maxLength, pattern: LINES })

/** What people who apply may write at most, member by member. */
export const MAX_CHARACTERS = { name: 200, email: 254, phone: 50, address: 500, message: 2_000 } as const

/** What an answer of the form may be long at most, as in what clients send. */
export const MAX_ANSWER = 2_000

export const Applicant = Type.Object(
  {
    name: line(MAX_CHARACTERS.name),
    email: Type.String({ format: 'email', maxLength: MAX_CHARACTERS.email, pattern: ONE_LINE }),
    phone: Type.Optional(line(MAX_CHARACTERS.phone)),
    address: Type.Optional(lines(MAX_CHARACTERS.address)),
  },
  { title: 'Applicant', description: 'Who would like to adopt: shown only to those who decide about it.' },
)
export type Applicant = Static<typeof Applicant>

export const Answers = Type.Array(
  Type.Object(
    { question: line(500), answer: lines(MAX_ANSWER) },
    { title: 'ApplicationAnswer', description: 'An answer, with its question as it was asked.' },
  ),
  { description: 'What was asked and answered.', minItems: 1, maxItems: 30 },
)
export type Answers = Static<typeof Answers>

const Message = lines(MAX_CHARACTERS.message)

export const NewApplication = Type.Object(
  {
    petId: Type.Integer({
      format: 'int64',
      description: 'Identifier of an animal that is available or pending.',
    }),
    applicant: Applicant,
    message: Type.Optional(Message),
    answers: Type.Optional(Answers),
  },
  {
    title: 'NewApplication',
    description: 'Somebody would like to adopt an animal. Members other than these are ignored.',
  },
)
export type NewApplication = Static<typeof NewApplication>

const forStaff = lines(5_000, 'What staff write for each other.')
const forApplicant = lines(5_000, 'What staff write to the applicant, such as why it was declined.')

const patch = {
  status: Type.Optional(ApplicationStatus),
  note: removable(forStaff as Rules),
  reply: removable(forApplicant as Rules),
}
export type ApplicationPatch = {
  status?: ApplicationStatus
  note?: string | null
  reply?: string | null
}
export const ApplicationPatch = Type.Unsafe<ApplicationPatch>(
  Type.Object(patch, {
    title: 'ApplicationPatch',
    description: 'What to decide about an application (RFC 7396). Members other than these are ignored.',
  }),
)

/** Reasons of the service itself; there may be more. */
const REASONS = ['adopted', 'animal_removed'] as const
export type Reason = (typeof REASONS)[number]

const id = (description: string) => Type.Integer({ format: 'int64', description })
const time = (description: string) => Type.String({ format: 'date-time', description })

export const Application = Type.Object(
  {
    id: id('Unique identifier, assigned by the service.'),
    petId: id('Identifier of the animal.'),
    status: ApplicationStatus,
    reason: Type.Optional(
      Type.String({
        'x-extensible-enum': [...REASONS],
        description:
          'Why it was declined by the service: somebody else has adopted the animal, or its record was ' +
          'removed. There may be more.',
      }),
    ),
    applicant: Type.Optional(Applicant),
    message: Type.Optional(Message),
    answers: Type.Optional(Answers),
    receivedAt: time('When it came.'),
    decidedAt: Type.Optional(time('When it was approved, declined or withdrawn.')),
    decidedBy: Type.Optional(id('The key that decided; absent where the applicant did.')),
    orderId: Type.Optional(id('The order that its approval placed.')),
    note: Type.Optional(forStaff),
    reply: Type.Optional(forApplicant),
  },
  {
    title: 'Application',
    description:
      'Somebody would like to adopt an animal. Who it is and what was written is erased some time after it was ' +
      'declined or withdrawn, or its adoption complete.',
  },
)
export type Application = Static<typeof Application>

export const Applications = Type.Array(Application, {
  title: 'Applications',
  description: 'A page of applications, newest first.',
})

export const ApplicationQuery = Type.Object({
  limit: Type.Integer({
    description: 'Maximum number of applications returned.',
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
  status: Type.Optional(ApplicationStatus),
  petId: Type.Optional(Type.Integer({ format: 'int64', description: 'Only applications for this animal.' })),
  cursor: Type.Optional(
    Type.String({ description: 'Where the page begins: only as found in a Link header.' }),
  ),
})
export type ApplicationQuery = Static<typeof ApplicationQuery>

export const ApplicationPath = Type.Object({
  // Described as an integer and read as text: what is no int64 names no application, and is a 404.
  applicationId: Type.Unsafe<string>({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the application.',
  }),
})
export type ApplicationPath = Static<typeof ApplicationPath>
