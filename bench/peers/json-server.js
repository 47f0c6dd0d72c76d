import { writeFileSync } from 'node:fs'
import jsonServer from 'json-server'
import { animals, FILE, KEY, tellPort, tokenOf, toPet } from './common.js'

// It has neither keys nor limits nor a sync: the key is looked at by the middleware that its documentation shows.

const pets = animals().map((animal, index) => toPet({ id: index + 1, ...animal }))
writeFileSync(FILE, JSON.stringify({ pets }))

const app = jsonServer.create()
app.use(jsonServer.defaults({ logger: false }))
app.use((request, response, next) => {
  if (tokenOf(request.headers.authorization) === KEY) next()
  else response.status(401).json({ code: 'invalid_api_key', message: 'No such key.', status: 401 })
})
app.use(jsonServer.router(FILE))

const server = app.listen(0, '127.0.0.1', () => tellPort(server))
