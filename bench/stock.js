import Fastify from 'fastify'

// The first example of Fastify's guide, with which the start of adoptable is compared.

const app = Fastify()
app.get('/', async () => ({ hello: 'world' }))
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(app.server.address().port)
