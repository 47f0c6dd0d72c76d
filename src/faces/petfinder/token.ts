import type { FastifyRequest } from 'fastify'
import type { Context } from '../../context.ts'
import { changes } from '../../db/change.ts'
import { ApiError } from '../../errors.ts'
import type { App } from '../../http/app.ts'
import { NO_STORE } from '../../http/cache-headers.ts'
import type { ReadBody } from '../../http/face.ts'
import { type FormBody, readForm, readUpload, type Upload } from '../../http/form-body.ts'
import { collectBody, parseJson } from '../../http/json-body.ts'
import { accountOf, findByHash } from '../../keys/identify.ts'
import { hashKey } from '../../keys/key-format.ts'
import { isClientCredentials } from '../../keys/make.ts'
import { generateAccessToken, hashAccessToken, TOKEN_SECONDS } from '../../keys/tokens.ts'
import { charge } from '../../limits/limiter.ts'
import { ERRORS_PATH, errorsPage, InvalidClient, InvalidTokenRequest } from './errors.ts'

/** Maximum size of a token request. Real requests are smaller. */
const MAX_BYTES = 8_192

const readFields = readForm(MAX_BYTES)
const readParts = readUpload(MAX_BYTES, { otherBytes: 0 })

/** Reads the fields from a form, from JSON or from multipart form data. */
const readTokenBody: ReadBody = (request, payload, done) => {
  const { headers } = request
  const type = headers['content-type'] ?? ''
  if (/^multipart\//i.test(type))
    return readParts(request, payload, (error, body) => done(error, (body as Upload | undefined)?.fields))
  if (!/^application\/json\b/i.test(type)) return readFields(request, payload, done)
  collectBody(payload, Number(headers['content-length']), MAX_BYTES, (error, bytes) => {
    if (error) return done(error)
    try {
      done(null, toFields(parseJson(bytes)))
    } catch (thrown) {
      done(thrown as Error)
    }
  })
}

function toFields(body: unknown): URLSearchParams {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('invalid_json', { message: 'The body must be a JSON object with grant_type.' })
  const fields = new URLSearchParams()
  for (const [name, value] of Object.entries(body)) if (typeof value === 'string') fields.set(name, value)
  return fields
}

/** Issues access tokens for client credentials (RFC 6749, section 4.4). */
export function tokenRoutes(app: App, { db, write, clock, limiter, config }: Context): void {
  app.post('/oauth2/token', { config: { readBody: readTokenBody } }, async (request, reply) => {
    const fields = (request.body ?? new URLSearchParams()) as FormBody
    const grant = fields.get('grant_type')
    if (!grant) throw new InvalidTokenRequest(true)
    if (grant !== 'client_credentials') throw new InvalidTokenRequest(false)
    const client = clientOf(request, fields)
    if (!isClientCredentials(client)) throw new InvalidClient()
    const secretHash = hashKey(client)
    const key = await findByHash(db, secretHash)
    if (!key || clock() >= (key.expiresAt ?? Number.POSITIVE_INFINITY)) throw new InvalidClient()
    // The gate has already charged the IP address, because the gate did not know the client yet.
    const { headers, refusal } = await charge(limiter, accountOf(key, config.ban))
    reply.headers(headers)
    if (refusal) throw refusal
    const token = generateAccessToken()
    await write(changes.insertToken, hashAccessToken(token) as string, secretHash, clock())
    reply.headers({ ...NO_STORE, pragma: 'no-cache' })
    return { token_type: 'Bearer', expires_in: TOKEN_SECONDS, access_token: token }
  })

  app.get(ERRORS_PATH, (_request, reply) => reply.type('text/html; charset=utf-8').send(errorsPage().text))
}

/** The client's id and secret as `id:secret`, from the Authorization header (RFC 7617), or else the body. */
function clientOf({ headers }: FastifyRequest, fields: FormBody): string {
  const [, encoded] = /^basic +([\w+/=-]+)$/i.exec(headers.authorization ?? '') ?? []
  if (encoded !== undefined) return Buffer.from(encoded, 'base64').toString()
  return `${fields.get('client_id')}:${fields.get('client_secret')}`
}
