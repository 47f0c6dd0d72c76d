import { type Static, Type } from '../http/type.ts'

export const InventoryQuery = Type.Object({
  organizationId: Type.Optional(
    Type.Integer({ format: 'int64', description: 'Count only animals of this organization.' }),
  ),
})

const count = (description: string) => Type.Integer({ minimum: 0, description })

const counts = {
  available: count('Animals looking for a home.'),
  pending: count('Animals with a pending adoption.'),
  sold: count('Adopted animals.'),
  unlisted: count('Animals without a status.'),
}

const Counts = Type.Object(counts, { title: 'Counts' })
export type Counts = Static<typeof Counts>

export const Inventory = Type.Object(
  {
    overall: Counts,
    categories: Type.Array(
      Type.Object({ categoryId: Type.Integer({ format: 'int64' }), ...counts }, { title: 'CategoryCounts' }),
      { description: 'All categories, sorted by id.' },
    ),
  },
  { title: 'Inventory', description: 'The number of animals in each status.' },
)
export type Inventory = Static<typeof Inventory>
