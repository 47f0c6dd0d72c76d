import type { RouteOptions } from 'fastify'
import type { Right } from '../../../staff/roles.ts'
import { PREFIX } from './visit.ts'

/** The people who may use a page: people with a right, all staff, or everyone. */
export type PageRight = Right | 'anyStaff' | 'anybody'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The right that the console page needs, from `PAGES`. */
    needs?: PageRight
  }
}

/** Every page and every change of the console, with the required right. */
export const PAGES = {
  'GET /sign-in': 'anybody',
  'POST /sign-in': 'anybody',
  'POST /sign-out': 'anybody',
  'GET /join/:token': 'anybody',
  'POST /join/:token': 'anybody',
  'GET /': 'seeNumbers',
  'GET /statistics': 'seeNumbers',
  'GET /statistics/:name': 'seeNumbers',
  'GET /animals': 'seeAnimals',
  'GET /animals.csv': 'seeAnimals',
  'POST /animals/selected': 'changeAnimals',
  'GET /animals/new': 'changeAnimals',
  'POST /animals/new': 'changeAnimals',
  'GET /animals/:id': 'seeAnimals',
  'GET /animals/:id/poster': 'seeAnimals',
  'GET /animals/:id/kennel-card': 'seeAnimals',
  'POST /animals/:id': 'changeAnimals',
  'POST /animals/:id/status': 'changeAnimals',
  'POST /animals/:id/outcome': 'changeAnimals',
  'GET /animals/:id/notes': 'seeAnimals',
  'POST /animals/:id/notes': 'changeAnimals',
  'POST /animals/:id/notes/remove': 'changeAnimals',
  'GET /animals/:id/adopted': 'decideApplications',
  'POST /animals/:id/adopted': 'decideApplications',
  'GET /animals/:id/delete': 'changeAnimals',
  'POST /animals/:id/delete': 'changeAnimals',
  'POST /animals/:id/photos': 'changeAnimals',
  'POST /animals/:id/photos/:photoId': 'changeAnimals',
  'POST /animals/:id/orders/:orderId': 'decideOrders',
  'GET /applications': 'seeAdopters',
  'GET /applications/:id': 'seeAdopters',
  'GET /applications/:id/record': 'seeAdopters',
  'POST /applications/:id': 'decideApplications',
  'POST /applications/:id/order': 'decideOrders',
  'GET /import': 'changeAnimals',
  'GET /import/refused.csv': 'changeAnimals',
  'POST /import': 'changeAnimals',
  'POST /import/columns': 'changeAnimals',
  'POST /import/confirm': 'changeAnimals',
  'GET /organizations': 'changeOrganization',
  'GET /organizations/new': 'addOrganizations',
  'POST /organizations/new': 'addOrganizations',
  'GET /organizations/:id': 'changeOrganization',
  'POST /organizations/:id': 'changeOrganization',
  'GET /organizations/:id/questions': 'changeOrganization',
  'POST /organizations/:id/questions': 'changeOrganization',
  'GET /organizations/:id/website': 'changeOrganization',
  'POST /organizations/:id/photos': 'changeOrganization',
  'POST /organizations/:id/photos/:photoId': 'changeOrganization',
  'GET /usage': 'manageKeys',
  'GET /people': 'managePeople',
  'GET /people/new': 'managePeople',
  'POST /people/new': 'managePeople',
  'GET /people/:id': 'managePeople',
  'POST /people/:id': 'managePeople',
  'POST /people/:id/link': 'managePeople',
  'GET /people/:id/remove': 'managePeople',
  'POST /people/:id/remove': 'managePeople',
  'GET /keys': 'manageKeys',
  'GET /keys/new': 'manageKeys',
  'POST /keys/new': 'manageKeys',
  'GET /keys/:id': 'manageKeys',
  'POST /keys/:id/rotate': 'manageKeys',
  'GET /keys/:id/revoke': 'manageKeys',
  'POST /keys/:id/revoke': 'manageKeys',
  'GET /events': 'seeAnimals',
  'GET /webhooks': 'manageWebhooks',
  'GET /webhooks/new': 'manageWebhooks',
  'POST /webhooks/new': 'manageWebhooks',
  'GET /webhooks/:id': 'manageWebhooks',
  'GET /webhooks/:id/change': 'manageWebhooks',
  'POST /webhooks/:id/change': 'manageWebhooks',
  'POST /webhooks/:id/enabled': 'manageWebhooks',
  'POST /webhooks/:id/secret': 'manageWebhooks',
  'GET /webhooks/:id/remove': 'manageWebhooks',
  'POST /webhooks/:id/remove': 'manageWebhooks',
  'POST /webhooks/:id/test': 'manageWebhooks',
  'POST /webhooks/:id/recover': 'manageWebhooks',
  'POST /webhooks/:id/deliveries/:deliveryId': 'manageWebhooks',
  'GET /account': 'anyStaff',
  'POST /account': 'anyStaff',
  'POST /account/password': 'anyStaff',
  'POST /account/sign-out': 'anyStaff',
} as const satisfies Record<string, PageRight>

/** Route hook that stores the required right in the route. @throws {Error} for a route that is not in `PAGES` */
export function declareNeeds(route: RouteOptions): void {
  const path = route.url.slice(PREFIX.length) || '/'
  const methods = [route.method].flat().map((method) => (method === 'HEAD' ? 'GET' : method))
  for (const method of new Set(methods)) {
    const name = `${method} ${path}`
    const needs: PageRight | undefined = PAGES[name as keyof typeof PAGES]
    if (!needs) throw new Error(`the page ${name} has no place in the list of console/pages.ts`)
    route.config = { ...route.config, needs }
  }
}
