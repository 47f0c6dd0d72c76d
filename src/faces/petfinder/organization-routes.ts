import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { etagOf } from '../../http/conditional.ts'
import { sendPage } from '../../http/send-page.ts'
import * as organizations from '../../organizations/store.ts'
import { photosAt } from '../../photo-files/kept.ts'
import { renamed } from './asked.ts'
import { Given } from './given.ts'
import { OWN_CODE, ownOrganization, toOrganization } from './organization.ts'
import { organizationLists } from './organizations.ts'
import { paginationOf } from './pagination.ts'
import { PREFIX } from './prefix.ts'
import { READ } from './read.ts'

export function organizationRoutes(app: App, context: Context): void {
  const { config, db } = context
  const listed = organizationLists(context)
  const shown = (request: FastifyRequest, stored: organizations.Stored & { distanceMeters?: number }) =>
    toOrganization(organizations.toShown(stored, photosAt(config, request)), config.origin)

  app.get('/organizations', { config: READ }, async (request, reply) => {
    const read = async () => {
      const given = new Given(request.url)
      const { found, page, limit, total } = await listed(given).catch((error) => {
        throw renamed(error)
      })
      const body = JSON.stringify({
        organizations: found.map((one) => shown(request, one)),
        pagination: paginationOf(`${PREFIX}/organizations`, given, { page, limit, total }),
      })
      return { body, headers: { etag: etagOf(body) } }
    }
    return sendPage(request, reply, context, read) as never
  })

  app.get<{ Params: { id: string } }>('/organizations/:id', { config: READ }, async (request, reply) => {
    const read = async () => {
      const organization = await find(request.params.id, request)
      const body = JSON.stringify({ organization })
      return { body, headers: { etag: etagOf(body) } }
    }
    return sendPage(request, reply, context, read) as never
  })

  async function find(code: string, request: FastifyRequest) {
    const id = await organizations.idOfCode(db, code)
    const stored = id === undefined ? undefined : await organizations.find(db, BigInt(id))
    if (stored) return shown(request, stored)
    if (code.toUpperCase() !== OWN_CODE) throw new ApiError('organization_not_found')
    return toOrganization(ownOrganization(config.origin), config.origin)
  }
}
