import { LINES, ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'

export const OrderStatus = Type.Enum(['placed', 'approved', 'completed', 'cancelled'], {
  type: 'string',
  title: 'OrderStatus',
  description: 'Open while placed or approved; closed once completed or cancelled.',
})
export type OrderStatus = Static<typeof OrderStatus>

const Adopter = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE }),
    email: Type.String({ format: 'email', maxLength: 254, pattern: ONE_LINE }),
    phone: Type.Optional(Type.String({ minLength: 1, maxLength: 50, pattern: ONE_LINE })),
    message: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, pattern: LINES })),
  },
  {
    title: 'Adopter',
    description: 'Who wants the animal: shown only to the key that placed the order and to admin keys.',
  },
)

export const NewOrder = Type.Object(
  {
    petId: Type.Integer({ format: 'int64', description: 'Identifier of an animal that is available.' }),
    alsoPetIds: Type.Optional(
      Type.Array(Type.Integer({ format: 'int64' }), {
        description: 'All animals that it is bonded with: they are adopted together, or not at all.',
        minItems: 1,
        maxItems: 5,
        'x-stability': 'beta',
      }),
    ),
    adopter: Adopter,
  },
  { title: 'NewOrder', description: 'An order to place. Members other than these are ignored.' },
)
export type NewOrder = Static<typeof NewOrder>

export const OrderPatch = Type.Object(
  { status: Type.Optional(OrderStatus) },
  {
    title: 'OrderPatch',
    description: 'What to decide about an order (RFC 7396). Members other than this are ignored.',
  },
)
export type OrderPatch = Static<typeof OrderPatch>

export const Order = Type.Object(
  {
    id: Type.Integer({ format: 'int64', description: 'Unique identifier, assigned by the service.' }),
    petId: Type.Integer({ format: 'int64', description: 'Identifier of the animal.' }),
    alsoPetIds: Type.Optional(
      Type.Array(Type.Integer({ format: 'int64' }), {
        description: 'The animals that are adopted with it.',
        'x-stability': 'beta',
      }),
    ),
    status: OrderStatus,
    placedAt: Type.String({ format: 'date-time' }),
    adopter: Type.Optional(Adopter),
    decidedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When it was approved, and later closed.' }),
    ),
  },
  {
    title: 'Order',
    description: 'Somebody wants an animal. The adopter is erased some time after the order was closed.',
  },
)
export type Order = Static<typeof Order>

export const Orders = Type.Array(Order, { title: 'Orders', description: 'A page of orders, newest first.' })

export const OrderQuery = Type.Object({
  limit: Type.Integer({
    description: 'Maximum number of orders returned.',
    minimum: 1,
    maximum: 100,
    default: 20,
  }),
  status: Type.Optional(OrderStatus),
  petId: Type.Optional(
    Type.Integer({
      format: 'int64',
      description: 'Only orders that take this animal: as petId, or among alsoPetIds.',
    }),
  ),
  cursor: Type.Optional(
    Type.String({ description: 'Where the page begins: only as found in a Link header.' }),
  ),
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderPath = Type.Object({
  // Described as an integer and read as text: what is no int64 names no order, and is a 404.
  orderId: Type.Unsafe<string>({ type: 'integer', format: 'int64', description: 'Identifier of the order.' }),
})
export type OrderPath = Static<typeof OrderPath>
