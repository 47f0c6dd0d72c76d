import { type Static, Type } from '../http/type.ts'

export const EVENT_TYPES = [
  'pet.created',
  'pet.updated',
  'pet.status_changed',
  'pet.deleted',
  'category.created',
  'category.updated',
  'category.deleted',
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'order.placed',
  'order.approved',
  'order.completed',
  'order.cancelled',
  'application.received',
  'application.decided',
  'photo.added',
  'photo.removed',
] as const

export const EventType = Type.Enum([...EVENT_TYPES], { type: 'string', title: 'EventType' })
export type EventType = Static<typeof EventType>

export const MAX_EVENTS = 1_000

const id = (description: string) => Type.Optional(Type.Integer({ format: 'int64', description }))

const EventData = Type.Object(
  {
    petId: id('The animal.'),
    version: Type.Optional(
      Type.String({ description: 'The ETag of the animal after the change. Absent if it was removed.' }),
    ),
    changed: Type.Optional(
      Type.Array(Type.String(), { description: 'The names of the changed members that every key can see.' }),
    ),
    status: Type.Optional(
      Type.Object(
        {
          from: Type.Optional(Type.String({ description: 'Absent if there was no status.' })),
          to: Type.Optional(Type.String({ description: 'Absent if there is no status now.' })),
        },
        { title: 'StatusChange', description: 'The change of the status.' },
      ),
    ),
    categoryId: id('The category.'),
    organizationId: id('The organization.'),
    orderId: id('The order.'),
    applicationId: id('The application.'),
    photoId: id('The photo.'),
  },
  { title: 'EventData', description: 'Ids, names and statuses. Read the resource to see its data.' },
)
export type EventData = Static<typeof EventData>

export const Event = Type.Object(
  {
    id: Type.String({
      description:
        'Ids sort as text: a later event has a greater id. Send an id as `after` to read the events that follow.',
    }),
    type: EventType,
    at: Type.String({ format: 'date-time', description: 'The time of the change.' }),
    organizationId: id('The organization of the animal, order or application. Absent if it has none.'),
    data: EventData,
  },
  {
    title: 'Event',
    description: 'A change of an animal, category, organization, order, application or photo.',
  },
)
export type Event = Static<typeof Event>

export const Events = Type.Array(Event, { title: 'Events', description: 'Events, oldest first.' })

/** The value of `after` that stands for the newest event. */
export const LATEST = 'latest'

const AFTER = `^(?:[0-9]{16}|${LATEST})$`

const types = Type.Optional(
  Type.Array(EventType, { description: 'Only events of these types.', maxItems: EVENT_TYPES.length }),
)

export const EventQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        'Only events after the event with this id. Default: all events of the log. `latest`: only events that ' +
        'happen from now on.',
      pattern: AFTER,
    }),
  ),
  type: types,
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_EVENTS,
    default: 100,
    description: 'Maximum number of events returned.',
  }),
})

export const StreamQuery = Type.Object({
  after: Type.Optional(
    Type.String({
      description:
        'Only events after the event with this id. Default: `latest`, only events that happen from now on.',
      pattern: AFTER,
    }),
  ),
  type: types,
})
