import Fastify from 'fastify'

// A stock Fastify, as its own guide begins: what the start of adoptable is compared with.

const app = Fastify()
app.get('/', async () => ({ hello: 'world' }))
await app.listen({ port: 0, host: '127.0.0.1' })
console.log(app.server.address().port)
