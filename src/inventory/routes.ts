import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { Inventory } from './schema.ts'
import * as inventory from './store.ts'

export function inventoryRoutes(app: App, { db }: Context): void {
  const schema = {
    operationId: 'getInventory',
    summary: 'Count the animals',
    description: 'How many stand in each status, overall and by category; always equal to the lists.',
    'x-stability': 'experimental',
    response: { 200: Inventory },
  }
  app.get('/inventory', { schema }, () => inventory.count(db))
}
