import type { Context } from '../context.ts'
import type { App } from '../http/app.ts'
import { requireOwnOrganization } from '../http/caller.ts'
import { Inventory, InventoryQuery, Statistics, StatisticsQuery } from './schema.ts'
import * as inventory from './statistics.ts'
import { compute } from './statistics.ts'

export function inventoryRoutes(app: App, { db, clock }: Context): void {
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

  const statistics = {
    operationId: 'getStatistics',
    summary: 'Count intakes, outcomes, stays and applications',
    description:
      'For staff. Dates are in UTC. A key that belongs to an organization sees the statistics of this organization.',
    'x-stability': 'beta',
    querystring: StatisticsQuery,
    response: { 200: Statistics },
  }
  app.get('/statistics', { schema: statistics }, ({ query, caller }) => {
    const { organizationId = caller.organizationId, months } = query
    requireOwnOrganization(caller, organizationId)
    return compute(db, { organizationId, months, now: clock() })
  })
}
