import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { freePort } from './port.ts'
import { bareEnvironment } from './process.ts'
import { scratchFolder } from './start-app.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const BIN = fileURLToPath(new URL('../../bin/adoptable.js', import.meta.url))

/** Blocks of commands, each with the output block that follows directly, or an empty text. */
const BLOCKS = [...README.matchAll(/^```sh\n(.*?)^```\n(?:\n```(?:text|json)\n(.*?)^```\n)?/gms)].map(
  ([, commands = '', output = '']) => ({ commands, output }),
)

/** After this time, something hangs. A busy machine needs half a minute. */
const HANG_MS = 120_000
const START_COMMAND = 'npm ci && npm start\n'
const START_WITH_METRICS = 'METRICS_PORT=9464 npm start\n'

test('the first two blocks of the README are the start command and the test command', () => {
  assert.deepEqual(
    BLOCKS.slice(0, 2).map(({ commands }) => commands),
    [START_COMMAND, 'npm ci && npm test\n'],
  )
})

test('the adoption in the README, from intake to home, takes six curl commands', () => {
  const [, adoption = ''] =
    /adoption from intake to home\.(.*)He has a home:(.*?```sh.*?```)/s.exec(README) ?? []
  const [, last = ''] = /He has a home:.*?```sh\n(.*?)```/s.exec(README) ?? []

  assert.equal((adoption + last).match(/^curl .*\/v1\//gm)?.length, 6)
})

test('each command in the README prints the output that the README shows', async (t) => {
  if (spawnSync('bash', ['-c', 'command -v curl']).status !== 0) return t.skip('needs bash and curl')
  const folder = scratchFolder(t)
  const environment = {
    ...bareEnvironment(),
    DATABASE_URL: `sqlite:${join(folder, 'adoptable.db')}`,
    PORT: String(await freePort()),
    // Ignores a proxy or .curlrc of this machine.
    NO_PROXY: '127.0.0.1',
    CURL_HOME: folder,
  }
  const METRICS_PORT = String(await freePort())
  let service = await serve(environment)
  try {
    const [key = ''] = /adopt_live_\w+/.exec(service.greeting) ?? []
    const toShown = (text: string) => text.replaceAll(`127.0.0.1:${environment.PORT}`, '127.0.0.1:8080')
    const toRun = (text: string) =>
      text
        .replaceAll('127.0.0.1:8080', `127.0.0.1:${environment.PORT}`)
        .replaceAll('127.0.0.1:9464', `127.0.0.1:${METRICS_PORT}`)
        .replaceAll('sample.ndjson', join(folder, 'sample.ndjson'))
        .replaceAll('adopt_live_…', key)
        .replaceAll('npx adoptable', `'${process.execPath}' '${BIN}'`)

    assertShown(toShown(service.greeting), BLOCKS[0]?.output ?? '')
    const toType = BLOCKS.filter(({ commands }) => !commands.startsWith('npm ci'))
    const again = toType.findIndex(({ commands }) => commands === START_WITH_METRICS)
    const type = async (blocks: typeof BLOCKS, environment: NodeJS.ProcessEnv) => {
      const printed = run(
        blocks.map(({ commands }) => toRun(commands)),
        environment,
      )
      for (const [index, { commands, output }] of blocks.entries()) {
        await t.test(commands.trim(), () => assertShown(toShown(printed[index] ?? ''), output))
      }
    }
    await type(toType.slice(0, again), environment)
    await service.stop()
    service = await serve({ ...environment, METRICS_PORT })
    await type(toType.slice(again + 1), { ...environment, KEY: key })
  } finally {
    await service.stop()
  }
})

/**
 * Starts the service as `npm start` does. It is killed after HANG_MS if a failing test does not stop it.
 */
async function serve(env: NodeJS.ProcessEnv): Promise<{ greeting: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [BIN, 'serve'], { env, timeout: HANG_MS, killSignal: 'SIGKILL' })
  const ended = once(child, 'exit')
  let greeting = ''
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += chunk
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      greeting += chunk
      if (/ serves .*\n$/s.test(greeting)) resolve()
    })
    child.on('exit', () => reject(new Error(`the service ended before it served: ${log}`)))
  })
  return {
    greeting,
    async stop() {
      child.kill()
      await ended
    },
  }
}

/** Runs blocks of commands in one shell, so variables persist. @returns the output of each block */
function run(blocks: string[], env: NodeJS.ProcessEnv): string[] {
  const end = '<end of block>\n'
  const script = blocks.map((commands) => `${commands}printf '${end.trim()}\\n'\n`).join('')
  const { stdout } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8', timeout: HANG_MS })
  return stdout.split(end)
}

/** The parts of the output that differ between runs. */
const VOLATILE: [shape: RegExp, mask: string][] = [
  [/adopt_live_(?:[0-9A-Za-z]{36}|…)(?!\w)/g, 'adopt_live_…'],
  [/\/console\/join\/(?:[\w-]{43}|…)(?=\n)/g, '/console/join/…'],
  [/^x-request-id: [A-Za-z0-9._-]{1,128}$/gm, 'x-request-id: …'],
  [/"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/g, '"…"'],
  [/^x-ratelimit-reset: \d{10}$/gm, 'x-ratelimit-reset: …'],
  [/^retry-after: (?:[1-9]|[1-5]\d|60)$/gm, 'retry-after: …'],
  [/lines in [\d.,]+ s, [\d,]+\/s/g, 'lines in … s, …/s'],
  [/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/gm, 'Date: …'],
]

function assertShown(printed: string, output: string): void {
  assert.equal(mask(printed), mask(output))
}

/** Replaces volatile parts, CRLF and the padding of columns. */
function mask(text: string): string {
  const tidy = text.replaceAll('\r\n', '\n').replace(/^ +/gm, '').trim()
  return VOLATILE.reduce((masked, [shape, instead]) => masked.replace(shape, instead), tidy)
}
