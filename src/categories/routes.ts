import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { publicBaseUrl } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { BETA, parsePathId } from '../http/type.ts'
import { Categories, Category, CategoryPatch, CategoryPath, NewCategory } from './schema.ts'
import * as categories from './store.ts'

const EXISTS = { 409: 'Another category has this name.' }

export function categoryRoutes(app: App, { config: settings, db, write, writeOnce, clock }: Context): void {
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
    const key = readIdempotencyKey(request, reply)
    const category = await writeOnce(key, changes.insertCategory, request.body, clock())
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
    categories.requireFound(await categories.find(db, parsePathId(params.categoryId, 'category_not_found'))),
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
  app.patch('/categories/:categoryId', { config: named, schema: updateCategory }, (request, reply) => {
    const key = readIdempotencyKey(request, reply)
    const id = parsePathId(request.params.categoryId, 'category_not_found')
    return writeOnce(key, changes.updateCategory, id, request.body, clock())
  })

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
    await write(changes.deleteCategory, parsePathId(params.categoryId, 'category_not_found'), clock())
    return reply.code(204).send()
  })
}
