import assert from 'node:assert/strict'
import http from 'node:http'
import net from 'node:net'

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  body: any
}

export interface RequestOptions {
  method?: string
  /** A header whose value is undefined is not sent. */
  headers?: http.OutgoingHttpHeaders
  /** Text and bytes are sent unchanged. Any other value is sent as JSON. */
  body?: unknown
  signal?: AbortSignal
}

function answerOf(status: number, headers: http.IncomingHttpHeaders, text: string): Answer {
  return {
    status,
    headers,
    text,
    get body() {
      return JSON.parse(text)
    },
  }
}

/** Sends one request over a kept-alive connection. Adds only the header Host and the headers of the body. */
export function send(
  agent: http.Agent,
  url: string,
  { method = 'GET', headers = {}, body, signal }: RequestOptions,
): Promise<Answer> {
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const definedHeaders = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => value !== undefined),
  )
  return new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { agent, method, headers: definedHeaders, ...(signal && { signal }) },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          resolve(answerOf(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()))
        })
      },
    )
    request.on('error', reject)
    // For DELETE and GET, Node would send the body without its length. The next request would begin with it.
    if (
      bytes !== undefined &&
      !['content-length', 'transfer-encoding'].some((name) => request.hasHeader(name))
    )
      request.setHeader('content-length', Buffer.byteLength(bytes))
    request.end(bytes)
  })
}

/**
 * Writes bytes to a socket.
 *
 * @returns everything received until the server closes or is silent for `silentMs`
 */
export function sendRaw(port: number, bytes: string | Buffer, silentMs = 300): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = net.connect(port, '127.0.0.1', () => socket.write(bytes))
    const finish = (): void => {
      socket.destroy()
      resolve(Buffer.concat(chunks).toString())
    }
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      socket.setTimeout(silentMs, finish)
    })
    socket.on('close', finish)
    socket.on('error', (error) => (chunks.length > 0 ? finish() : reject(error)))
  })
}

/** Splits the bytes received from a socket into responses. */
export function readAnswers(text: string): Answer[] {
  const answers: Answer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, end).split('\r\n')
    const fields = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
    const headers = Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]))
    const body = Buffer.from(rest.slice(end + 4)).subarray(0, Number(headers['content-length'] ?? 0))
    answers.push(answerOf(Number(first.split(' ')[1]), headers, String(body)))
    rest = rest.slice(end + 4 + String(body).length)
  }
  return answers
}

const RATE_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']

/**
 * Fails unless a response is an Error of the contract with all its headers.
 *
 * @param limited whether the rate-limit headers are expected; false outside /v1
 */
export function assertError(
  { status, headers, text }: Answer,
  expected: number,
  code: string,
  about: string,
  limited = true,
): void {
  const context = `${about}: ${status} ${text}`
  assert.equal(status, expected, context)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8', context)
  assert.match(headers['x-request-id'] as string, /^[A-Za-z0-9._-]{1,128}$/, context)
  const { details, ...error } = JSON.parse(text)
  assert.deepEqual(error, { code, message: error.message, status }, context)
  assert.ok(typeof error.message === 'string' && error.message !== '', context)
  assert.ok(details === undefined || (status === 400 && details.length > 0), context)
  for (const name of RATE_HEADERS) {
    assert.equal(/^\d+$/.test(String(headers[name])), limited, `${context}: ${name}`)
  }
}
