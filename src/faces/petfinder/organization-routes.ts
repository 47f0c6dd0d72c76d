import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import * as organizations from '../../organizations/store.ts'
import { photosAt } from '../../photos/storage/kept.ts'
import { OWN_CODE, ownOrganization, toOrganization } from './organization.ts'
import { type FoundOrganization, organizationPages } from './organization-pages.ts'
import { paginationOf } from './pagination.ts'
import { PREFIX } from './prefix.ts'
import { readParameters } from './query-parameters.ts'
import { readRoutes } from './read-routes.ts'

export function organizationRoutes(app: App, context: Context): void {
  const { config, db } = context
  const addRoute = readRoutes(app, context)
  const readPage = organizationPages(context)
  const toAnswer = (request: FastifyRequest, { stored, distanceMeters }: FoundOrganization) => {
    const shown = organizations.toShown(stored, photosAt(config, request))
    return toOrganization({ ...shown, distanceMeters }, config.origin)
  }

  addRoute('/organizations', async (request) => {
    const parameters = readParameters(request.url)
    const { found, page, limit, total } = await readPage(parameters)
    return {
      json: {
        organizations: found.map((one) => toAnswer(request, one)),
        pagination: paginationOf(`${PREFIX}/organizations`, parameters, { page, limit, total }),
      },
    }
  })

  addRoute<{ id: string }>('/organizations/:id', async (request, { id: code }) => {
    const id = await organizations.idOfCode(db, code)
    const stored = id === undefined ? undefined : await organizations.find(db, id)
    if (stored) return { json: { organization: toAnswer(request, { stored }) } }
    if (code.toUpperCase() !== OWN_CODE) throw new ApiError('organization_not_found')
    return { json: { organization: toOrganization(ownOrganization(config.origin), config.origin) } }
  })
}
