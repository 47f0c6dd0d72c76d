import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { canConnect, freePort } from '../testing/port.ts'
import { bareEnvironment } from '../testing/process.ts'
import { scratchFolder, startApp, type TestApp, UNLIMITED } from '../testing/start-app.ts'

// Runs the receivers of docs/notified.md with a real service.

const PAGE = readFileSync(new URL('../../docs/notified.md', import.meta.url), 'utf8')
const SHOWN_PORT = '9000'
const MINUTE_MS = 60_000

interface Language {
  program: string
  file: string
  args(file: string, port: number): string[]
}

/** The languages of the page, under the names of their code blocks. */
const LANGUAGES: Record<string, Language> = {
  js: { program: process.execPath, file: 'receive.mjs', args: (file) => [file] },
  python: { program: 'python3', file: 'receive.py', args: (file) => [file] },
  php: { program: 'php', file: 'receive.php', args: (file, port) => ['-S', `127.0.0.1:${port}`, file] },
}

interface Receiver {
  child: ChildProcess
  output: string
}

/** Starts the receiver of the page, and waits until it listens. */
async function startReceiver(
  t: TestContext,
  name: string,
  { secret, port }: { secret: string; port: number },
): Promise<Receiver> {
  const { program, file, args } = LANGUAGES[name] as Language
  const [, code = ''] = new RegExp(`^\`\`\`${name}\\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? []
  const path = join(scratchFolder(t), file)
  writeFileSync(path, code.replaceAll(SHOWN_PORT, String(port)))
  const env = { ...bareEnvironment(), HOME: process.env.HOME, WEBHOOK_SECRET: secret }
  const child = spawn(program, args(path, port), { env, stdio: ['ignore', 'pipe', 'pipe'] })
  cleanup(t).defer(() => void child.kill('SIGKILL'))
  const receiver = { child, output: '' }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      receiver.output += chunk
    })
  while (!(await canConnect(port))) assert.equal(child.exitCode, null, receiver.output)
  return receiver
}

/** Sends a test to a webhook. @returns the status of the response, or why there was none */
async function sendTest({ get, post }: TestApp, id: number): Promise<string | number> {
  const { body: sent } = await post(`/v1/webhooks/${id}/test`, {})
  for (;;) {
    const { body } = await get(`/v1/webhooks/${id}/deliveries?limit=1`)
    const [delivery] = body
    assert.equal(delivery.id, sent.id)
    if (delivery.responseBody !== undefined) return delivery.responseStatus ?? delivery.responseBody
  }
}

for (const [name, { program }] of Object.entries(LANGUAGES)) {
  const skip = spawnSync(program, ['--version']).status !== 0 && `not installed: ${program}`

  test(`the receiver of docs/notified.md in ${name} accepts only genuine deliveries`, { skip }, async (t) => {
    const app = await startApp(t, {
      key: { ...UNLIMITED, access: 'admin' },
      settings: { WEBHOOK_ALLOW_NETWORKS: 'loopback' },
      now: Date.now(),
    })
    const port = await freePort()
    const add = async () => (await app.post('/v1/webhooks', { url: `http://127.0.0.1:${port}/` })).body
    const [own, other] = [await add(), await add()]
    const receiver = await startReceiver(t, name, { secret: own.secret, port })

    assert.equal(await sendTest(app, own.id), 204)
    assert.equal(await sendTest(app, other.id), 401)
    const unsigned = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })
    assert.equal(unsigned.status, 401)
    // A receiver with the old secret finds its signature among two.
    await app.post(`/v1/webhooks/${own.id}/rotate`, {})
    assert.equal(await sendTest(app, own.id), 204)
    app.clock.now -= 10 * MINUTE_MS
    assert.equal(await sendTest(app, own.id), 401)

    assert.equal(receiver.output.match(/^.*webhook\.test.*This is a test/gm)?.length, 2, receiver.output)
  })
}
