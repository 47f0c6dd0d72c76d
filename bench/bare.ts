import { createServer } from 'node:http'
import { ANY, type Answer, type Answers } from './requests.ts'

// The baseline of all comparisons: plain node:http, which answers each path with prepared bytes.

const UNKNOWN: Answer = { status: 404, headers: { 'content-length': 0 }, body: '' }

let answers: Answers = {}

const server = createServer((request, response) => {
  const answer = () => {
    const { status, headers, body } = answers[`${request.method} ${request.url}`] ?? answers[ANY] ?? UNKNOWN
    response.writeHead(status, headers).end(body)
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
