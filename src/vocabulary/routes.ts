import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { readCursor } from '../http/cursor.ts'
import { onceKey } from '../http/idempotency.ts'
import { int64 } from '../http/int64.ts'
import { PAGE_HEADERS, pageOf, publicBase } from '../http/link.ts'
import { KINDS, type Kind, schemasOf, titleOf, WordQuery } from './schema.ts'
import * as vocabulary from './store.ts'

const BETA = { 'x-stability': 'beta' } as const

/** Names of breeds and of colors: suggestions, since an animal may have any. */
export function vocabularyRoutes(app: App, context: Context): void {
  for (const kind of KINDS) {
    listWords(app, context, kind)
    createWord(app, context, kind)
    getWord(app, context, kind)
    deleteWord(app, context, kind)
  }
}

function listWords(app: App, { config, db, cursorSecret }: Context, kind: Kind): void {
  const schema = {
    operationId: `list${titleOf(kind)}s`,
    summary: `List names of ${kind}s`,
    description: 'Suggestions, oldest first, in pages as of animals: an animal may have any other name too.',
    ...BETA,
    querystring: WordQuery,
    response: { 200: { ...schemasOf(kind).Words, headers: PAGE_HEADERS } },
  }
  app.get(`/${kind}s`, { schema }, async (request, reply) => {
    const { cursor, categoryId, limit } = request.query
    const scope = JSON.stringify([kind, categoryId?.toString()])
    const after = cursor === undefined ? undefined : readCursor<[number]>(cursorSecret, scope, cursor)
    const found = await vocabulary.list(db, kind, { categoryId, limit, after: after?.[0] })
    const { page, link } = pageOf(found, {
      ...{ limit, secret: cursorSecret, scope, positionOf: ({ id }) => [id] },
      address: `${publicBase(config, request)}/${kind}s`,
      query: { limit, categoryId },
    })
    reply.header('link', link)
    return page
  })
}

function createWord(app: App, { config, writeOnce }: Context, kind: Kind): void {
  const { NewWord, Word } = schemasOf(kind)
  const schema = {
    operationId: `create${titleOf(kind)}`,
    summary: `Add the name of a ${kind}`,
    ...BETA,
    body: NewWord,
    response: { 201: Word },
  }
  const errors = { 409: 'The category has this name already.' }
  app.post(`/${kind}s`, { config: { errors }, schema }, async (request, reply) => {
    const word = await writeOnce(onceKey(request, reply), changes.insertWord, kind, request.body)
    reply.code(201).header('location', `${publicBase(config, request)}/${kind}s/${word.id}`)
    return word
  })
}

function getWord(app: App, { db }: Context, kind: Kind): void {
  const { Path, Word } = schemasOf(kind)
  const schema = {
    operationId: `get${titleOf(kind)}`,
    summary: `Get the name of a ${kind}`,
    ...BETA,
    params: Path,
    response: { 200: Word },
  }
  app.get(`/${kind}s/:${kind}Id`, { schema }, ({ params }) => vocabulary.get(db, kind, idOf(kind, params)))
}

function deleteWord(app: App, { write }: Context, kind: Kind): void {
  const schema = {
    operationId: `delete${titleOf(kind)}`,
    summary: `Remove the name of a ${kind}`,
    description: 'Animals that have it keep it.',
    ...BETA,
    params: schemasOf(kind).Path,
    response: { 204: { type: 'null', description: 'The name is gone.' } },
  }
  app.delete(`/${kind}s/:${kind}Id`, { schema }, async ({ params }, reply) => {
    await write(changes.deleteWord, kind, idOf(kind, params))
    return reply.code(204).send()
  })
}

/** @throws {ApiError} for what can be the id of none */
function idOf(kind: Kind, params: Record<string, string>): number {
  const id = int64(params[`${kind}Id`] ?? '')
  if (id === undefined) throw vocabulary.notFound(kind)
  return id
}
