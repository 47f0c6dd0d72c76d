import cluster from 'node:cluster'
import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import type { DestinationStream } from 'pino'
import type { Config } from '../config.ts'
import { ConfigError, type Typed, whole } from '../config.ts'
import { Taken } from '../db/claim.ts'
import type { Service } from '../start.ts'
import type { CommandContext } from './command-context.ts'
import { ALL_SETTINGS, settingsHelp } from './settings.ts'
import { note, type Output } from './terminal.ts'
import { type Greeting, STOP } from './worker-messages.ts'

const MAX_WORKERS = 256

/** What a terminal or a service manager sends to all processes of a group. */
const GROUP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

export function serveCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the service')
    .option('--port <n>', 'port to listen on, in place of PORT')
    .option('--host <address>', 'address to listen on, in place of HOST')
    .option('--database <url>', 'where the data is kept, in place of DATABASE_URL')
    .option('--workers <n>', 'processes that share the address; more than one need REDIS_URL', '1')
    .addHelpText('after', settingsHelp(...ALL_SETTINGS))
    .action(async (options: { workers: string } & Given) => {
      const config = context.settings(typedOf(options))
      const workers = readWorkers(options.workers)
      if (workers > 1 && config.redisUrl === undefined) {
        throw new ConfigError(`--workers ${workers} needs REDIS_URL: processes share their counters there`)
      }
      refuseSharedPort(workers, config)
      if (cluster.isWorker) await serveAsWorker(config, context)
      else if (workers > 1)
        greet(context, await (await import('./workers.ts')).superviseWorkers(workers, config))
      else greet(context, greetingOf(await serve(config, context)))
    })
}

const OPTION_OF = { port: 'PORT', host: 'HOST', database: 'DATABASE_URL' } as const

type Given = { [Option in keyof typeof OPTION_OF]?: string }

function typedOf(given: Given): Typed {
  const typed: Typed = {}
  for (const [option, setting] of Object.entries(OPTION_OF)) {
    const value = given[option as keyof Given]
    if (value !== undefined) typed[setting] = { option: `--${option}`, value }
  }
  return typed
}

/**
 * The channel to the one that started it keeps a worker alive: one that cannot serve has to let go of it. A
 * channel that merely ends would have Node end the process with 0.
 */
async function serveAsWorker(config: Config, context: CommandContext): Promise<void> {
  try {
    process.send?.(greetingOf(await serve(config, context)))
  } catch (error) {
    cluster.worker?.disconnect()
    throw error
  }
}

function readWorkers(text: string): number {
  try {
    return whole(1, MAX_WORKERS)(text)
  } catch (error) {
    throw new ConfigError(`--workers ${(error as Error).message}`)
  }
}

/** Each worker has a port of its own for its metrics; the settings alone cannot tell how many those are. */
function refuseSharedPort(workers: number, { port, metricsPort }: Config): void {
  if (!metricsPort || port <= metricsPort || port >= metricsPort + workers) return
  const last = metricsPort + workers - 1
  throw new ConfigError(`METRICS_PORT: the workers take ${metricsPort} to ${last}, and PORT is one of these`)
}

async function serve(config: Config, { environment, stderr }: CommandContext): Promise<Service> {
  // The log goes to stderr and what a person needs to stdout, so that a key never is in the log.
  const log = await logOn(stderr)
  const { start } = await import('../start.ts')
  const worker = environment.ADOPTABLE_WORKER
  const stopping = new AbortController()
  const starting = start(config, { ...(log && { log }), ...(worker && { worker }), signal: stopping.signal })
  const onTimeout = () => note(stderr, 'adoptable: the stop took longer than STOP_TIMEOUT_SECONDS')
  // From the beginning: a signal during the start ends what was opened until then.
  const skip = cluster.isWorker ? [...GROUP_SIGNALS] : []
  const { close, uninstall } = closeWithGrace(
    { delay: config.stopTimeoutSeconds * 1_000, logger: false, onTimeout, skip },
    async ({ err }) => {
      stopping.abort(new Error('stopped before it could serve'))
      const service = await starting.catch(() => undefined)
      if (err instanceof Taken) service?.app.log.fatal(err.message)
      else if (err) service?.app.log.fatal({ err }, 'stopping after an error that nobody caught')
      await service?.stop().catch((cause: unknown) => {
        service.app.log.error({ err: cause }, 'the stop failed: something may not have been kept')
        throw cause
      })
    },
  )
  if (cluster.isWorker) stopOnce(close)
  starting.catch(uninstall)
  return starting
}

/** For a person in colours; by default it is JSON lines on the stderr of the process. */
async function logOn(stderr: Output): Promise<DestinationStream | undefined> {
  if (stderr !== process.stderr) return stderr
  return stderr.isTTY ? (await import('pino-pretty')).default({ destination: 2 }) : undefined
}

/**
 * For a worker, a signal to the whole group and what the supervisor tells it then are one stop. Whoever has
 * no patience sends the supervisor a second signal; with it the workers end at once.
 */
function stopOnce(close: () => void): void {
  let stopping = false
  const stop = () => {
    if (!stopping) close()
    stopping = true
  }
  for (const signal of GROUP_SIGNALS) process.on(signal, stop)
  process.on('message', (message) => message === STOP && stop())
}

function greetingOf({ address, firstKey, firstLink }: Service): Greeting {
  return { address, firstKey, firstLink }
}

/** In one piece, so that whoever waits for the address has the key too. */
function greet({ stdout }: CommandContext, { address, firstKey, firstLink }: Greeting): void {
  const lines = [`adoptable serves ${address}/v1, its reference is at ${address}/docs`]
  if (firstLink !== undefined) {
    lines.push('', `Everybody sees the animals at ${address}/. To work with them, make your account:`, '')
    lines.push(`  ${firstLink}`, '', 'This link works once, within 72 hours.')
  }
  if (firstKey !== undefined) {
    lines.push(
      '',
      'This is the first admin key of this store. It is shown this once:',
      '',
      `  ${firstKey}`,
      '',
    )
    lines.push('Try it:', '', `  curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`, '')
  }
  stdout.write(`${lines.join('\n')}\n`)
}
