import { ONE_LINE } from '../http/text.ts'
import { limitOf, line, lines, pathId, type Static, Type } from '../http/type.ts'

export const OrderStatus = Type.Enum(['placed', 'approved', 'completed', 'cancelled'], {
  type: 'string',
  title: 'OrderStatus',
  description: 'An order is open while placed or approved, and closed once completed or cancelled.',
})
export type OrderStatus = Static<typeof OrderStatus>

const Adopter = Type.Object(
  {
    name: line(200),
    email: Type.String({ format: 'email', maxLength: 254, pattern: ONE_LINE }),
    phone: Type.Optional(line(50)),
    message: Type.Optional(lines(2_000)),
  },
  {
    title: 'Adopter',
    description:
      'The person who wants to adopt: shown only to the key that placed the order, to write keys of the ' +
      "animal's organization, and to admin keys.",
  },
)

export const NewOrder = Type.Object(
  {
    petId: Type.Integer({ format: 'int64', description: 'Identifier of an available animal.' }),
    alsoPetIds: Type.Optional(
      Type.Array(Type.Integer({ format: 'int64' }), {
        description: 'All animals bonded with this one: they are adopted together or not at all.',
        minItems: 1,
        maxItems: 5,
        'x-stability': 'beta',
      }),
    ),
    adopter: Adopter,
  },
  { title: 'NewOrder', description: 'An order to place. Unknown members are ignored.' },
)
export type NewOrder = Static<typeof NewOrder>

export const OrderPatch = Type.Object(
  { status: Type.Optional(OrderStatus) },
  {
    title: 'OrderPatch',
    description: 'Changes to an order (RFC 7396). Unknown members are ignored.',
  },
)
export type OrderPatch = Static<typeof OrderPatch>

export const Order = Type.Object(
  {
    id: Type.Integer({ format: 'int64', description: 'Unique identifier, assigned by the service.' }),
    petId: Type.Integer({ format: 'int64', description: 'Identifier of the animal.' }),
    alsoPetIds: Type.Optional(
      Type.Array(Type.Integer({ format: 'int64' }), {
        description: 'The animals that are adopted together with this one.',
        'x-stability': 'beta',
      }),
    ),
    status: OrderStatus,
    placedAt: Type.String({ format: 'date-time' }),
    adopter: Type.Optional(Adopter),
    decidedAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'When the order was approved or, later, closed.' }),
    ),
  },
  {
    title: 'Order',
    description: 'An order to adopt an animal. The adopter is erased some time after the order is closed.',
  },
)
export type Order = Static<typeof Order>

export const Orders = Type.Array(Order, { title: 'Orders', description: 'A page of orders, newest first.' })

export const OrderQuery = Type.Object({
  limit: limitOf('orders'),
  status: Type.Optional(OrderStatus),
  petId: Type.Optional(
    Type.Integer({
      format: 'int64',
      description: 'Only orders for this animal, as petId or in alsoPetIds.',
    }),
  ),
  cursor: Type.Optional(Type.String({ description: 'Start of the page, as found in a Link header.' })),
})
export type OrderQuery = Static<typeof OrderQuery>

export const OrderPath = Type.Object({ orderId: pathId('Identifier of the order.') })
export type OrderPath = Static<typeof OrderPath>
