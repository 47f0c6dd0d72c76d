import rateLimit from '@fastify/rate-limit'
import Fastify from 'fastify'
import {
  digest,
  insertPet,
  NEVER_REACHED,
  openDatabase,
  RICH,
  statementsOf,
  tellPort,
  tokenOf,
  toPet,
} from './common.js'
import { properties as members } from './members.js'

const Status = { type: 'string', enum: ['available', 'pending', 'sold'] }
const properties = {
  name: { type: 'string', minLength: 1, maxLength: 200 },
  categoryId: { type: 'integer' },
  status: Status,
  ...(RICH && members),
}
const Pet = { type: 'object', properties: { id: { type: 'integer' }, ...properties } }
const NewPet = { type: 'object', required: ['name', 'categoryId'], properties }
const Query = {
  type: 'object',
  properties: { limit: { type: 'integer', minimum: 1, maximum: 100, default: 20 }, status: Status },
}

const statements = statementsOf(openDatabase())
const { knows, list, listOfStatus } = statements

const app = Fastify()
app.decorateRequest('caller', '')
app.addHook('onRequest', async (request, reply) => {
  const token = tokenOf(request.headers.authorization)
  request.caller = token ? digest(token) : ''
  if (knows.get(request.caller)) return
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
  async ({ query: { limit, status } }) => {
    const rows = status ? listOfStatus.all(status, limit) : list.all(limit)
    return rows.map(toPet)
  },
)

app.post('/v1/pets', { schema: { body: NewPet, response: { 201: Pet } } }, async ({ body }, reply) =>
  reply.code(201).send(insertPet(statements, body)),
)

await app.listen({ port: 0, host: '127.0.0.1' })
tellPort(app.server)
