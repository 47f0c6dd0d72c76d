import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { App } from '../http/app.ts'
import { publicBaseUrl } from '../http/face.ts'
import { readIdempotencyKey } from '../http/idempotency.ts'
import { PAGE_HEADERS, pageOf, readCursor } from '../http/paging.ts'
import { BETA, parsePathId } from '../http/type.ts'
import { schemasOf, titleOf, WORD_KINDS, type WordKind, WordQuery } from './schema.ts'
import * as vocabulary from './store.ts'

/**
 * Adds the routes of suggested names for breeds and colors. Animals may have names that are not in the lists.
 */
export function vocabularyRoutes(app: App, context: Context): void {
  for (const kind of WORD_KINDS) {
    listWords(app, context, kind)
    createWord(app, context, kind)
    getWord(app, context, kind)
    deleteWord(app, context, kind)
  }
}

function listWords(app: App, { config, db, cursorSecret }: Context, kind: WordKind): void {
  const schema = {
    operationId: `list${titleOf(kind)}s`,
    summary: `List names of ${kind}s`,
    description:
      'Suggested names, oldest first, in pages like those of animals. Animals may have other names too.',
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
      address: `${publicBaseUrl(config, request)}/${kind}s`,
      query: { limit, categoryId },
    })
    reply.header('link', link)
    return page
  })
}

function createWord(app: App, { config, writeOnce }: Context, kind: WordKind): void {
  const { NewWord, Word } = schemasOf(kind)
  const schema = {
    operationId: `create${titleOf(kind)}`,
    summary: `Add the name of a ${kind}`,
    ...BETA,
    body: NewWord,
    response: { 201: Word },
  }
  const errors = { 409: 'The category already has this name.' }
  app.post(`/${kind}s`, { config: { errors }, schema }, async (request, reply) => {
    const word = await writeOnce(readIdempotencyKey(request, reply), changes.insertWord, kind, request.body)
    reply.code(201).header('location', `${publicBaseUrl(config, request)}/${kind}s/${word.id}`)
    return word
  })
}

function getWord(app: App, { db }: Context, kind: WordKind): void {
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

function deleteWord(app: App, { write }: Context, kind: WordKind): void {
  const schema = {
    operationId: `delete${titleOf(kind)}`,
    summary: `Remove the name of a ${kind}`,
    description: 'Animals with this name keep it.',
    ...BETA,
    params: schemasOf(kind).Path,
    response: { 204: { type: 'null', description: 'The name was removed.' } },
  }
  app.delete(`/${kind}s/:${kind}Id`, { schema }, async ({ params }, reply) => {
    await write(changes.deleteWord, kind, idOf(kind, params))
    return reply.code(204).send()
  })
}

/** @throws {ApiError} breed_not_found, color_not_found if the parameter is not an int64 */
function idOf(kind: WordKind, params: Record<string, string>): number {
  return parsePathId(params[`${kind}Id`] ?? '', vocabulary.NOT_FOUND[kind])
}
