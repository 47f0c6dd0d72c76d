import assert from 'node:assert/strict'
import http from 'node:http'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'
import type { TestApp } from './start-app.ts'

// Reads the stream of events.

export const STREAM = '/v1/events/stream'

export interface Message {
  id: string
  event: string
  data: string
}

export interface OpenStream {
  headers: http.IncomingHttpHeaders
  /** Reads the next events. */
  read(count: number): Promise<Message[]>
  /** Resolves when the response has ended. */
  ended: Promise<unknown>
  text(): string
  /** The id with which a client would connect again. */
  lastId(): string
  /** Resolves when more text has arrived. */
  changed(): Promise<void>
  close(): void
}

/** Reads Server-Sent Events as a browser would. */
export async function openStream(
  t: TestContext,
  { port, key }: Pick<TestApp, 'port' | 'key'>,
  query = '',
  headers: http.OutgoingHttpHeaders = {},
): Promise<OpenStream> {
  const request = http.get(`http://127.0.0.1:${port}${STREAM}${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    agent: false,
  })
  cleanup(t).defer(() => void request.destroy())
  const response = await new Promise<http.IncomingMessage>((resolve, reject) =>
    request.on('response', resolve).on('error', reject),
  )
  assert.equal(response.statusCode, 200)
  let text = ''
  let onText = (): void => undefined
  let position = 0
  const ended = new Promise((resolve) => response.once('close', resolve).on('error', () => undefined))
  response.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
    onText()
  })
  const changed = () =>
    new Promise<void>((resolve) => {
      onText = resolve
    })
  const blocks = () => text.split('\n\n').slice(0, -1).map(fieldsOf)
  const all = () => blocks().filter(({ data }) => data !== undefined) as unknown as Message[]
  const stream: OpenStream = {
    headers: response.headers,
    ended,
    changed,
    text: () => text,
    lastId: () => blocks().findLast(({ id }) => id !== undefined)?.id ?? '',
    close: () => void request.destroy(),
    async read(count) {
      while (all().length < position + count) await changed()
      position += count
      return all().slice(position - count, position)
    },
  }
  // The service sends an id first.
  while (stream.lastId() === '') await changed()
  return stream
}

const fieldsOf = (block: string): Record<string, string | undefined> =>
  Object.fromEntries(block.split('\n').map((line) => line.split(/: ?(.*)/s, 2)))
