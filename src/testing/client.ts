import http from 'node:http'
import net from 'node:net'

export interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
  /** The body as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at what came, whatever its shape
  body: any
}

export interface Sent {
  method?: string
  /** One that is undefined is not sent. */
  headers?: http.OutgoingHttpHeaders
  /** Text and bytes go as they are, anything else as JSON. */
  body?: unknown
}

/** Sends one request over a kept connection, exactly as told: no header is added but Host and those of the body. */
export function send(
  agent: http.Agent,
  url: string,
  { method = 'GET', headers = {}, body }: Sent,
): Promise<Answer> {
  const bytes =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
  return new Promise((resolve, reject) => {
    const request = http.request(url, { agent, method, headers: given }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          get body() {
            return JSON.parse(text)
          },
        })
      })
    })
    request.on('error', reject)
    request.end(bytes)
  })
}

/** Writes bytes to a socket and returns all that comes back until the server closes, or has been silent for a while. */
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
