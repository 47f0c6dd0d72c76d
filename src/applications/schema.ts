import { ONE_LINE } from '../http/text.ts'
import {
  limitOf,
  line,
  lines,
  type PatchableSchema,
  pathId,
  type Static,
  Type,
  toPatchSchema,
} from '../http/type.ts'

export const ApplicationStatus = Type.Enum(['received', 'in_review', 'approved', 'declined', 'withdrawn'], {
  type: 'string',
  title: 'ApplicationStatus',
  description: 'An application is open while received or in_review. Approving it places an order.',
})
export type ApplicationStatus = Static<typeof ApplicationStatus>

/** The maximum number of characters of each member. */
export const MAX_CHARACTERS = { name: 200, email: 254, phone: 50, address: 500, message: 2_000 } as const

/** The maximum number of characters of an answer, in forms and in the API. */
export const MAX_ANSWER = 2_000

export const Applicant = Type.Object(
  {
    name: line(MAX_CHARACTERS.name),
    email: Type.String({ format: 'email', maxLength: MAX_CHARACTERS.email, pattern: ONE_LINE }),
    phone: Type.Optional(line(MAX_CHARACTERS.phone)),
    address: Type.Optional(lines(MAX_CHARACTERS.address)),
  },
  {
    title: 'Applicant',
    description: 'The person who would like to adopt. Shown only to those who decide about the application.',
  },
)
export type Applicant = Static<typeof Applicant>

export const Answers = Type.Array(
  Type.Object(
    { question: line(500), answer: lines(MAX_ANSWER) },
    { title: 'ApplicationAnswer', description: 'An answer, with the question as the applicant saw it.' },
  ),
  { description: 'Answers to the application questions.', minItems: 1, maxItems: 30 },
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
    description: 'A request to adopt an animal. Other members are ignored.',
  },
)
export type NewApplication = Static<typeof NewApplication>

const forStaff = lines(5_000, 'Internal staff note.')
const forApplicant = lines(
  5_000,
  'Message from staff to the applicant, such as why the application was declined.',
)

const patch = {
  status: Type.Optional(ApplicationStatus),
  note: toPatchSchema(forStaff as PatchableSchema),
  reply: toPatchSchema(forApplicant as PatchableSchema),
}
export type ApplicationPatch = {
  status?: ApplicationStatus
  note?: string | null
  reply?: string | null
}
export const ApplicationPatch = Type.Unsafe<ApplicationPatch>(
  Type.Object(patch, {
    title: 'ApplicationPatch',
    description: 'Changes to an application (RFC 7396). Other members are ignored.',
  }),
)

/** The reasons for which the service itself declines an application. Later releases may add more. */
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
          'Why the service declined the application: another person adopted the animal, or the animal left in ' +
          'another way or its record was removed. More reasons may follow.',
      }),
    ),
    applicant: Type.Optional(Applicant),
    message: Type.Optional(Message),
    answers: Type.Optional(Answers),
    receivedAt: time('When the application was received.'),
    decidedAt: Type.Optional(time('When the application was approved, declined or withdrawn.')),
    decidedBy: Type.Optional(id('The key that decided; absent if the applicant withdrew the application.')),
    orderId: Type.Optional(id('The order that the approval placed.')),
    note: Type.Optional(forStaff),
    reply: Type.Optional(forApplicant),
  },
  {
    title: 'Application',
    description:
      'A request to adopt an animal. Applicant, message, answers, note and reply are erased some time after ' +
      'the application is declined or withdrawn, or the adoption is completed.',
  },
)
export type Application = Static<typeof Application>

export const Applications = Type.Array(Application, {
  title: 'Applications',
  description: 'A page of applications, newest first.',
})

export const ApplicationQuery = Type.Object({
  limit: limitOf('applications'),
  status: Type.Optional(ApplicationStatus),
  petId: Type.Optional(Type.Integer({ format: 'int64', description: 'Only applications for this animal.' })),
  cursor: Type.Optional(
    Type.String({ description: 'Start of the page. Use only the cursor from a Link header.' }),
  ),
})
export type ApplicationQuery = Static<typeof ApplicationQuery>

export const ApplicationPath = Type.Object({ applicationId: pathId('Identifier of the application.') })
