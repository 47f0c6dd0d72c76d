import { type Event, EventType } from '../events/schema.ts'
import { MULTILINE } from '../http/text.ts'
import { pathId, type Static, Type } from '../http/type.ts'

const BETA = { 'x-stability': 'beta' } as const

const Address = Type.String({
  format: 'uri',
  description: 'The address to which events are sent. It begins with https://.',
  minLength: 1,
  maxLength: 2_000,
})

const Types = Type.Array(EventType, {
  description: 'The types of events that are sent. Empty: all types.',
  maxItems: 50,
})

const Description = Type.String({ minLength: 1, maxLength: 200, pattern: MULTILINE })

const OrganizationId = Type.Integer({
  format: 'int64',
  description:
    'Sends only events of this organization. Default: the organization of the key; all events if the key has none.',
})

const Enabled = Type.Boolean({ description: 'Whether events are sent.' })

const webhook = {
  id: Type.Integer({ format: 'int64' }),
  url: Address,
  types: Types,
  organizationId: Type.Optional(OrganizationId),
  enabled: Enabled,
  description: Type.Optional(Description),
  disabledReason: Type.Optional(
    Type.String({ description: 'Why the service has disabled the webhook: `failing`, `gone` or `behind`.' }),
  ),
  createdAt: Type.String({ format: 'date-time' }),
}

export const Webhook = Type.Object(webhook, {
  title: 'Webhook',
  description: 'An address to which the service sends events.',
  ...BETA,
})
export type Webhook = Static<typeof Webhook>

export const WebhookWithSecret = Type.Object(
  {
    ...webhook,
    secret: Type.Optional(
      Type.String({
        description:
          'Verifies the signatures of deliveries (Standard Webhooks). Shown only once; absent in a repeated response.',
      }),
    ),
  },
  { title: 'WebhookWithSecret', description: 'A webhook and, once, its secret.', ...BETA },
)
export type WebhookWithSecret = Static<typeof WebhookWithSecret>

export const Webhooks = Type.Array(Webhook, { title: 'Webhooks', description: 'Oldest first.' })

export const NewWebhook = Type.Object(
  {
    url: Address,
    types: Type.Optional(Types),
    organizationId: Type.Optional(OrganizationId),
    enabled: Type.Optional(Enabled),
    description: Type.Optional(Description),
  },
  { title: 'NewWebhook' },
)
export type NewWebhook = Static<typeof NewWebhook>

export const WebhookPatch = Type.Object(
  {
    url: Type.Optional(Address),
    types: Type.Optional(Types),
    enabled: Type.Optional(Enabled),
    description: Type.Optional(Type.Unsafe<string | null>({ ...Description, type: ['string', 'null'] })),
  },
  { title: 'WebhookPatch', description: 'The members to change (RFC 7396).' },
)
export type WebhookPatch = Static<typeof WebhookPatch>

export const Delivery = Type.Object(
  {
    id: Type.Integer({ format: 'int64' }),
    eventId: Type.Optional(Type.String({ description: 'The id of the event. Absent for a test.' })),
    type: Type.String({ description: 'The type of the event, or `webhook.test`.' }),
    status: Type.Enum(['pending', 'delivered', 'failed'], { type: 'string' }),
    attempts: Type.Integer({ minimum: 0, description: 'The number of attempts to send it.' }),
    attemptedAt: Type.Optional(Type.String({ format: 'date-time', description: 'The latest attempt.' })),
    dueAt: Type.Optional(Type.String({ format: 'date-time', description: 'The next attempt.' })),
    responseStatus: Type.Optional(Type.Integer({ description: 'The HTTP status of the latest response.' })),
    responseBody: Type.Optional(
      Type.String({ description: 'The beginning of the latest response, or why there was none.' }),
    ),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { title: 'Delivery', description: 'An event that is sent to a webhook.', ...BETA },
)
export type Delivery = Static<typeof Delivery>

export const Deliveries = Type.Array(Delivery, { title: 'Deliveries', description: 'Newest first.' })

export const WebhookPath = Type.Object({
  webhookId: pathId('Identifier of the webhook.'),
})

export const DeliveryPath = Type.Object({
  ...WebhookPath.properties,
  deliveryId: pathId('Identifier of the delivery.'),
})

export const DeliveryQuery = Type.Object({
  status: Type.Optional(
    Type.Enum(['pending', 'delivered', 'failed'], {
      type: 'string',
      description: 'Only deliveries with this status.',
    }),
  ),
  before: Type.Optional(
    Type.Integer({ format: 'int64', description: 'Only deliveries with a lower id, for the next page.' }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Maximum number of deliveries returned.',
  }),
})
export type DeliveryQuery = Static<typeof DeliveryQuery>

export const RecoverQuery = Type.Object({
  since: Type.String({
    format: 'date-time',
    description: 'The time from which missed events are sent again.',
  }),
  after: Type.Optional(
    Type.String({ description: 'The `continueAfter` of the previous response.', pattern: '^[0-9]{16}$' }),
  ),
})

export const Recovery = Type.Object(
  {
    deliveries: Type.Integer({ minimum: 0, description: 'How many events will be sent again.' }),
    continueAfter: Type.Optional(
      Type.String({
        description:
          'Present if there are more events: send the same `since`, and this as `after`, in another request.',
      }),
    ),
  },
  { title: 'Recovery', description: 'Missed events are being sent again.', ...BETA },
)
export type Recovery = Static<typeof Recovery>

/** The type of the event that a test sends. */
export const TEST_TYPE = 'webhook.test'

/** The body of a delivery. */
export interface Payload {
  type: Static<typeof Event>['type'] | typeof TEST_TYPE
  timestamp: string
  data: object
}
