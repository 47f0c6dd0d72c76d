import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import type { DestinationStream } from 'pino'
import type { Config } from '../config.ts'
import { ConfigError, integer, type SettingOverrides } from '../config.ts'
import { ClaimTakenError } from '../db/claim.ts'
import type { Service } from '../start.ts'
import { ALL_SETTINGS, type CommandContext, settingsHelp } from './command.ts'
import { note, type Output } from './terminal.ts'

const MAX_WORKERS = 256

/** Signals that a terminal or service manager sends to all processes of a group. */
const GROUP_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const

/** The message of the supervisor to its workers. */
const STOP = 'stop'

/** Printed once when the service is ready. */
interface Greeting {
  address: string
  firstKey: string | undefined
  firstLink: string | undefined
}

export function serveCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('run the service')
    .option('--port <n>', 'port to listen on; overrides PORT')
    .option('--host <address>', 'address to listen on; overrides HOST')
    .option('--database <url>', 'where the data is stored; overrides DATABASE_URL')
    .option('--workers <n>', 'number of processes; more than one needs REDIS_URL', '1')
    .addHelpText('after', settingsHelp(...ALL_SETTINGS))
    .action(async (options: { workers: string } & ServeOptions) => {
      const config = context.settings(toSettings(options))
      const workers = readWorkers(options.workers)
      if (workers > 1 && config.redisUrl === undefined) {
        throw new ConfigError(`--workers ${workers} needs REDIS_URL, where processes share their counters`)
      }
      refuseSharedPort(workers, config)
      if (cluster.isWorker) await serveAsWorker(config, context)
      else if (workers > 1) greet(context, await superviseWorkers(workers, config))
      else greet(context, toGreeting(await serve(config, context)))
    })
}

const OPTION_OF = { port: 'PORT', host: 'HOST', database: 'DATABASE_URL' } as const

type ServeOptions = { [Option in keyof typeof OPTION_OF]?: string }

function toSettings(options: ServeOptions): SettingOverrides {
  const typed: SettingOverrides = {}
  for (const [option, setting] of Object.entries(OPTION_OF)) {
    const value = options[option as keyof ServeOptions]
    if (value !== undefined) typed[setting] = { option: `--${option}`, value }
  }
  return typed
}

/**
 * The channel to the supervisor keeps a worker alive, so a worker that cannot start must disconnect. If the
 * channel only closed, Node.js would exit with 0.
 */
async function serveAsWorker(config: Config, context: CommandContext): Promise<void> {
  try {
    process.send?.(toGreeting(await serve(config, context)))
  } catch (error) {
    cluster.worker?.disconnect()
    throw error
  }
}

function readWorkers(text: string): number {
  try {
    return integer(1, MAX_WORKERS)(text)
  } catch (error) {
    throw new ConfigError(`--workers ${(error as Error).message}`)
  }
}

/** Refuses ports that the metrics of several workers would share. The settings do not know their number. */
function refuseSharedPort(workers: number, { port, metricsPort }: Config): void {
  if (!metricsPort || port <= metricsPort || port >= metricsPort + workers) return
  const last = metricsPort + workers - 1
  throw new ConfigError(
    `METRICS_PORT: the workers use ports ${metricsPort} to ${last}, which include PORT; choose another one`,
  )
}

async function serve(config: Config, { environment, stderr }: CommandContext): Promise<Service> {
  // The log goes to stderr and the greeting to stdout, so a key never appears in the log.
  const log = await openLog(stderr)
  const { start } = await import('../start.ts')
  const worker = environment.ADOPTABLE_WORKER
  const stopping = new AbortController()
  const starting = start(config, { ...(log && { log }), ...(worker && { worker }), signal: stopping.signal })
  const onTimeout = () => note(stderr, 'adoptable: stopping took longer than STOP_TIMEOUT_SECONDS')
  // Installs the handler before the start, so a signal during the start closes everything opened so far.
  const skip = cluster.isWorker ? [...GROUP_SIGNALS] : []
  const { close, uninstall } = closeWithGrace(
    { delay: config.stopTimeoutSeconds * 1_000, logger: false, onTimeout, skip },
    async ({ err }) => {
      stopping.abort(new Error('stopped before the service was ready'))
      const service = await starting.catch(() => undefined)
      if (err instanceof ClaimTakenError) service?.app.log.fatal(err.message)
      else if (err) service?.app.log.fatal({ err }, 'stopping after an uncaught error')
      await service?.stop().catch((cause: unknown) => {
        service.app.log.error({ err: cause }, 'stopping failed: some data may not have been saved')
        throw cause
      })
    },
  )
  if (cluster.isWorker) stopOnce(close)
  starting.catch(uninstall)
  return starting
}

/** On a terminal, the log is readable text; otherwise it is JSON lines on stderr. */
async function openLog(stderr: Output): Promise<DestinationStream | undefined> {
  if (stderr !== process.stderr) return stderr
  return stderr.isTTY ? (await import('../log.ts')).readableLog(stderr) : undefined
}

/**
 * Counts a signal to the process group and the message of the supervisor as one stop. A second signal to the
 * supervisor ends it and its workers immediately.
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

function toGreeting({ address, firstKey, firstLink }: Service): Greeting {
  return { address, firstKey, firstLink }
}

/** Writes address and key together, so a program that waits for the address also has the key. */
function greet({ stdout }: CommandContext, { address, firstKey, firstLink }: Greeting): void {
  const lines = [`adoptable serves ${address}/v1; its reference is at ${address}/docs`]
  if (firstLink !== undefined) {
    lines.push('', `The gallery is at ${address}/. To manage animals, create your account:`, '')
    lines.push(`  ${firstLink}`, '', 'This link works once, within 72 hours.')
  }
  if (firstKey !== undefined) {
    lines.push(
      '',
      'This is the first admin key of this store. It is shown only once:',
      '',
      `  ${firstKey}`,
      '',
    )
    lines.push('Try it:', '', `  curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`, '')
  }
  stdout.write(`${lines.join('\n')}\n`)
}

/** The wait before a dead worker is replaced, so a worker that dies at each start does not use up the CPU. */
const RESTART_PAUSE_MS = 1_000

/** Exit code of a worker with wrong settings, which is not restarted. */
const CONFIG_EXIT = 2
/** Additional time for the supervisor after the timeout of its workers. */
const STOP_SLACK_MS = 1_000

/**
 * Runs the service in several processes on one address, and replaces each process that dies.
 * @returns the greeting, when all workers are ready
 * @throws if a worker cannot start; the worker prints the reason on stderr
 */
async function superviseWorkers(count: number, config: Config): Promise<Greeting> {
  let stopping = false

  /** @param workerId determines the port for metrics; a replacement has the id of the dead worker */
  async function fork(workerId: number): Promise<Greeting> {
    const worker = cluster.fork({ ADOPTABLE_WORKER: String(workerId) })
    const [greeting] = await Promise.race([once(worker, 'message'), once(worker, 'exit')])
    // `greeting` is the exit code if the worker has ended, or null if a signal ended the worker.
    if (greeting === CONFIG_EXIT) throw new ConfigError('a worker could not start')
    if (greeting === null || typeof greeting !== 'object') throw new Error('a worker could not start')
    worker.once('exit', () => {
      if (!stopping) setTimeout(replace, RESTART_PAUSE_MS, workerId)
    })
    return greeting
  }

  function replace(workerId: number): void {
    if (!stopping) fork(workerId).catch(() => setTimeout(replace, RESTART_PAUSE_MS, workerId))
  }

  const delay = config.stopTimeoutSeconds * 1_000 + STOP_SLACK_MS
  const { uninstall } = closeWithGrace({ delay, logger: false }, () => {
    stopping = true
    return stopAll()
  })
  try {
    const greetings = await Promise.all(Array.from({ length: count }, (_, workerId) => fork(workerId + 1)))
    return greetings.find(({ firstKey }) => firstKey !== undefined) ?? (greetings[0] as Greeting)
  } catch (error) {
    stopping = true
    uninstall()
    await stopAll()
    throw error
  }
}

async function stopAll(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  await Promise.all(workers.map(stop))
}

async function stop(worker: Worker): Promise<void> {
  if (worker.isDead()) return
  const exited = once(worker, 'exit')
  // Sends a message, because a worker may already have received a signal to the group, and must not get a
  // second signal. Sending fails only if the worker is about to end.
  worker.send(STOP, () => undefined)
  await exited
}
