import type { Db } from '../db/tables.ts'
import type { Counts, Inventory } from './schema.ts'

/** From the counts that the store keeps with every change, in one query: they always equal the rows. */
export async function count(db: Db, organizationId?: number): Promise<Inventory> {
  const counted = db
    .selectFrom('category')
    .leftJoin('inventory', (join) => {
      const of = join.onRef('inventory.category_id', '=', 'category.id')
      return organizationId === undefined ? of : of.on('organization_id', '=', organizationId)
    })
    // Each organization has rows of its own: of thousands of them the store adds up quicker.
    .select(({ fn }) => [
      'category.id as categoryId',
      'inventory.status',
      fn.sum('inventory.pets').as('pets'),
    ])
    .groupBy(['category.id', 'inventory.status'])
    .orderBy('category.id')
  const rows = await counted.execute()
  const overall = noAnimals()
  const categories = new Map<number, Counts>()
  for (const { categoryId, status, pets } of rows) {
    const counts = categories.get(categoryId) ?? noAnimals()
    categories.set(categoryId, counts)
    if (status === null) continue
    counts[status as keyof Counts] += Number(pets)
    overall[status as keyof Counts] += Number(pets)
  }
  return {
    overall,
    categories: [...categories].map(([categoryId, counts]) => ({ categoryId, ...counts })),
  }
}

function noAnimals(): Counts {
  return { available: 0, pending: 0, sold: 0, unlisted: 0 }
}
