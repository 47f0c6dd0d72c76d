import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import { digest, NEVER_REACHED, reportPort, STORE, tokenOf } from './common.js'

const Status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const properties = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  categoryId: { type: 'integer' },
  status: Status,
}
const Pet = { type: 'object', properties: { id: { type: 'integer' }, ...properties } }
const NewPet = { type: 'object', required: ['name', 'categoryId'], properties }
const Query = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status: Status },
}

const { openStore } = await import(STORE.startsWith('postgres') ? './postgres.js' : './sqlite.js')
const store = await openStore()

const app = Fastify()
app.decorateRequest('caller', '')
app.addHook('onRequest', async (request, reply) => {
  const token = tokenOf(request.headers.authorization)
  request.caller = token ? digest(token) : ''
  if (await store.knows(request.caller)) return
  return reply.code(401).send({ code: 'invalid_api_key', message: 'No such key.', status: 401 })
})
await app.register(rateLimit, {
  max: NEVER_REACHED,
  timeWindow: '1 minute',
  keyGenerator: ({ caller }) => caller,
})

app.get(
  '/v1/pets',
  { schema: { querystring: Query, response: { 200: { type: 'array', items: Pet } } } },
  async ({ query: { limit, status } }) => store.list(limit, status),
)

app.post('/v1/pets', { schema: { body: NewPet, response: { 201: Pet } } }, async ({ body }, reply) =>
  reply.code(201).send(await store.add(body)),
)

await app.listen({ port: 0, host: '127.0.0.1' })
reportPort(app.server)
