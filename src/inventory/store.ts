import type { Db } from '../db/tables.ts'
import type { Counts, Inventory } from './schema.ts'

/** Counts animals by status and category. The store updates the counts with each change of an animal. */
export async function count(db: Db, organizationId?: number): Promise<Inventory> {
  const query = db
    .selectFrom('category')
    .leftJoin('inventory', (join) => {
      const joined = join.onRef('inventory.category_id', '=', 'category.id')
      return organizationId === undefined ? joined : joined.on('organization_id', '=', organizationId)
    })
    // Each organization has its own rows. Adding up thousands of them is faster in the database.
    .select(({ fn }) => [
      'category.id as categoryId',
      'inventory.status',
      fn.sum('inventory.pets').as('pets'),
    ])
    .groupBy(['category.id', 'inventory.status'])
    .orderBy('category.id')
  const rows = await query.execute()
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
