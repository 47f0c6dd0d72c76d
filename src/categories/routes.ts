import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { parseInt64 } from '../http/int64.ts'
import { publicBaseUrl } from '../http/link.ts'
import { Categories, Category, CategoryPatch, CategoryPath, NewCategory } from './schema.ts'
import * as categories from './store.ts'

const BETA = { 'x-stability': 'beta' } as const
const EXISTS = { 409: 'Another category has this name.' }

export function categoryRoutes(app: App, { config: settings, db, write, writeOnce }: Context): void {
  const listCategories = {
    operationId: 'listCategories',
    summary: 'List all categories',
    ...BETA,
    response: { 200: Categories },
  }
  app.get('/categories', { schema: listCategories }, () => categories.list(db))

  const createCategory = {
    operationId: 'createCategory',
    summary: 'Add a category',
    ...BETA,
    body: NewCategory,
    response: { 201: Category },
  }
  const named = { errors: EXISTS }
  app.post('/categories', { config: named, schema: createCategory }, async (request, reply) => {
    const category = await writeOnce(readIdempotencyKey(request, reply), changes.insertCategory, request.body)
    reply.code(201).header('location', `${publicBaseUrl(settings, request)}/categories/${category.id}`)
    return category
  })

  const getCategory = {
    operationId: 'getCategory',
    summary: 'Get a category',
    ...BETA,
    params: CategoryPath,
    response: { 200: Category },
  }
  app.get('/categories/:categoryId', { schema: getCategory }, async ({ params }) =>
    categories.requireFound(await categories.find(db, idOf(params))),
  )

  const updateCategory = {
    operationId: 'updateCategory',
    summary: 'Change a category',
    ...BETA,
    consumes: ['application/merge-patch+json', 'application/json'],
    params: CategoryPath,
    body: CategoryPatch,
    response: { 200: Category },
  }
  app.patch('/categories/:categoryId', { config: named, schema: updateCategory }, (request, reply) =>
    writeOnce(readIdempotencyKey(request, reply), changes.updateCategory, idOf(request.params), request.body),
  )

  const deleteCategory = {
    operationId: 'deleteCategory',
    summary: 'Remove a category',
    description: 'A category that has animals cannot be removed.',
    ...BETA,
    params: CategoryPath,
    response: { 204: { type: 'null', description: 'The category was removed.' } },
  }
  const config = { errors: { 409: 'Animals belong to this category.' } }
  app.delete('/categories/:categoryId', { config, schema: deleteCategory }, async ({ params }, reply) => {
    await write(changes.deleteCategory, idOf(params))
    return reply.code(204).send()
  })
}

/** @throws {ApiError} category_not_found if the id in the path is not an int64 */
function idOf({ categoryId }: { categoryId: string }): number {
  const id = parseInt64(categoryId)
  if (id === undefined) throw new ApiError('category_not_found')
  return id
}
