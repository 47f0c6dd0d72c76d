import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { Inventory, InventoryQuery } from './schema.ts'
import * as inventory from './store.ts'

export function inventoryRoutes(app: App, { db }: Context): void {
  const schema = {
    operationId: 'getInventory',
    summary: 'Count the animals',
    description:
      'The number of animals in each status, overall and by category. Always consistent with the lists.',
    'x-stability': 'experimental',
    querystring: InventoryQuery,
    response: { 200: Inventory },
  }
  app.get('/inventory', { schema }, ({ query }) => inventory.count(db, query.organizationId))
}
