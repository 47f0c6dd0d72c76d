import express from 'express'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { z } from 'zod'
import { digest, NEVER_REACHED, reportPort, tokenOf } from './common.js'
import { openStore } from './sqlite.js'

const Status = z.enum(['available', 'pending', 'sold'])
const Query = z.object({
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: Status.optional(),
})
const NewPet = z.object({
  name: z.string().min(1).max(200),
  categoryId: z.int(),
  status: Status.optional(),
})

const store = openStore()
const limiter = new RateLimiterMemory({ points: NEVER_REACHED, duration: 60 })

const app = express()
app.disable('x-powered-by')

app.use(async (request, response, next) => {
  const token = tokenOf(request.headers.authorization)
  const caller = token && digest(token)
  if (!caller || !store.knows(caller)) {
    return response.status(401).json({ code: 'invalid_api_key', message: 'No such key.', status: 401 })
  }
  try {
    const { remainingPoints, msBeforeNext } = await limiter.consume(caller)
    response.set({
      'X-RateLimit-Limit': String(NEVER_REACHED),
      'X-RateLimit-Remaining': String(remainingPoints),
      'X-RateLimit-Reset': String(Math.ceil((Date.now() + msBeforeNext) / 1_000)),
    })
    next()
  } catch {
    response.status(429).json({ code: 'rate_limit_exceeded', message: 'Too many requests.', status: 429 })
  }
})
app.use(express.json())

function refuse(response, { issues }) {
  const details = issues.map(({ path, message }) => ({ pointer: `/${path.join('/')}`, message }))
  response.status(400).json({ code: 'validation_failed', message: 'Not valid.', status: 400, details })
}

app.get('/v1/pets', (request, response) => {
  const { data, error } = Query.safeParse(request.query)
  if (error) return refuse(response, error)
  response.json(store.list(data.limit, data.status))
})

app.post('/v1/pets', (request, response) => {
  const { data, error } = NewPet.safeParse(request.body)
  if (error) return refuse(response, error)
  response.status(201).json(store.add(data))
})

const server = app.listen(0, '127.0.0.1', () => reportPort(server))
