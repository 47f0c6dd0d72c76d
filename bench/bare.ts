import { createServer } from 'node:http'

// What everything is compared with: node:http and nothing else, which answers each address with ready bytes.

export interface Answer {
  status: number
  type: string
  body: string
}

/** By method and address. */
export type Answers = Record<string, Answer>

const UNKNOWN: Answer = { status: 404, type: 'text/plain', body: '' }

let answers: Answers = {}

const server = createServer((request, response) => {
  const answer = () => {
    const { status, type, body } = answers[`${request.method} ${request.url}`] ?? UNKNOWN
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  if (request.method !== 'GET') request.resume().once('end', answer)
  else answer()
})

server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('message', (message: Answers) => {
  answers = message
  process.send?.('ready')
})
process.on('disconnect', () => process.exit())
