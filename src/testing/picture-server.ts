import http from 'node:http'
import type { TestContext } from 'node:test'
import { listenAt } from './site.ts'

type Answer = { status?: number; headers?: http.OutgoingHttpHeaders; body?: Buffer; cut?: true }

/** Starts a server of images, and records the requested paths. */
export async function startPictures(t: TestContext, answers: Record<string, Answer>) {
  const requested: string[] = []
  const hooks = { onAsk: (): unknown => undefined }
  const server = http.createServer(async ({ url = '' }, response) => {
    requested.push(url)
    await hooks.onAsk()
    const { status = 200, headers = {}, body = Buffer.alloc(0), cut } = answers[url] ?? { status: 404 }
    response.writeHead(status, { 'content-length': body.length + (cut ? 9 : 0), ...headers })
    if (cut) response.write(body, () => response.destroy())
    else response.end(body)
  })
  const address = await listenAt(t, server)
  return { requested, answers, hooks, at: (path: string) => new URL(path, address).href }
}
