import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command, CommanderError } from 'commander'
import { type Config, ConfigError, readConfig, type SettingOverrides } from '../config.ts'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import { release } from '../release.ts'
import { backupCommand } from './backup.ts'
import {
  type CommandContext,
  type CommandStore,
  commandGroup,
  inStore,
  requireStore,
  type Settings,
  settingsHelp,
  withStore,
} from './command.ts'
import { copyCommand } from './copy.ts'
import { doctorCommand } from './doctor.ts'
import { explain } from './explain.ts'
import { exportCommand } from './export.ts'
import { followCommand } from './follow.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { peopleCommand } from './people.ts'
import { sampleCommand } from './sample.ts'
import { serveCommand } from './serve.ts'
import { staffCommand } from './staff.ts'
import { formatCount, ignoreClosedPipes, note, type Output, print, type Streams } from './terminal.ts'

const COMMANDS = [
  serveCommand,
  keysCommand,
  staffCommand,
  backupCommand,
  copyCommand,
  countersCommand,
  importCommand,
  exportCommand,
  sampleCommand,
  demoCommand,
  followCommand,
  breedsCommand,
  peopleCommand,
  openapiCommand,
  doctorCommand,
]

const FAILED = 1
const MISUSED = 2

/** The width of the help text when no terminal gives one. */
const HELP_WIDTH = 80

/**
 * Runs the command line of `adoptable`. Only this code reads the environment.
 * @param environment variables; a file `.env` adds missing variables
 * @returns the exit code: 0, 1 for a failure, 2 for wrong arguments
 */
export async function runCli(
  argv: string[],
  environment: NodeJS.ProcessEnv,
  streams: Streams = process,
): Promise<number> {
  let config: Config | undefined
  let overrides: SettingOverrides = {}
  const settings: Settings = (typed = {}) => {
    loadEnvironmentFile('.env', environment)
    overrides = typed
    config = readConfig(environment, typed)
    return config
  }
  const { stdout, stderr } = streams
  ignoreClosedPipes(streams)
  const context: CommandContext = {
    settings,
    environment,
    stdout,
    stderr,
    // A getter, because Node.js opens stdin on first access.
    get stdin() {
      return streams.stdin
    },
  }

  try {
    await commandsOf(context).parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    note(stderr, `adoptable: ${explain(error, config, (name) => overrides[name]?.option ?? name)}`)
    return error instanceof ConfigError ? MISUSED : FAILED
  }
}

/** The program with all its commands, ready to parse arguments. */
export function commandsOf(context: CommandContext): Command {
  const { stdout, stderr } = context
  const program = new Command('adoptable')
    .description('The open pet adoption service.')
    .version(release())
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => helpWidth(stdout),
      getErrHelpWidth: () => helpWidth(stderr),
      outputError: (message, write) => write(`${joinLines(message)}\n`),
    })
    .exitOverride()
  for (const add of COMMANDS) add(program, context)
  return program
}

/** The width of help texts in columns. */
function helpWidth({ isTTY, columns }: Output): number {
  return (isTTY && columns) || HELP_WIDTH
}

/** Joins the lines of an error: commander writes its suggestion on a separate line. */
function joinLines(message: string): string {
  return message.trim().replace(/\s*\n\s*/g, ' ')
}

/** Adds variables of the file that the environment does not have. */
function loadEnvironmentFile(file: string, environment: NodeJS.ProcessEnv): void {
  if (!existsSync(file)) return
  try {
    for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8'))))
      environment[name] ??= value
  } catch (cause) {
    throw Object.assign(new ConfigError(`${file} cannot be read: ${(cause as Error).message}`), { cause })
  }
}

/** Adds missing default names: to a store that is older than these lists, or after someone removed names. */
function breedsCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('breeds')
    .description('add the default breeds and colors that are missing')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(() =>
      inStore(settings().databaseUrl, async ({ write }) => {
        const { breed, color } = await write(changes.fillVocabulary)
        await print(stdout, `added ${formatCount(breed)} breeds and ${formatCount(color)} colors`)
      }),
    )
}

/** The store records where its rate limit counters are, so all processes use the same counters. */
function countersCommand(program: Command, { settings, stdout }: CommandContext): void {
  commandGroup(program, 'counters', 'choose where rate limit counters are stored: in Redis or in the process')
    .command('move')
    .description(
      'start new counters in the Redis of REDIS_URL, or in the process if it is not set; stop the service first',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'REDIS_URL'))
    .action(async () => {
      const { databaseUrl, redisUrl } = settings()
      requireStore(databaseUrl)
      const { counterStoreOf } = await import('../limits/counter-store.ts')
      const counterStore = redisUrl ? counterStoreOf(redisUrl, databaseUrl) : null
      const { moveCounters } = await import('../limits/move-counters.ts')
      await moveCounters(databaseUrl, counterStore)
      const where = counterStore === null ? 'in the process' : `in the Redis at ${counterStore}`
      await print(stdout, `rate limit counters now start from zero ${where}`)
    })
}

function openapiCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('openapi')
    .description('print the OpenAPI description')
    .addHelpText(
      'after',
      settingsHelp('BASE_URL', 'STAGING_BASE_URL', 'ADOPTABLE_ENVIRONMENT', 'HOST', 'PORT'),
    )
    .action(async () => {
      // No handler runs here, so the settings are enough.
      const context = { config: settings() } as Context
      const { default: pino } = await import('pino')
      const { buildServer } = await import('../server.ts')
      const app = await buildServer(context, pino({ level: 'silent' }))
      await app.ready()
      await print(stdout, JSON.stringify(await app.describe(), null, 2))
    })
}

/** Adds or removes a made-up shelter with animals and drawn photos. */
function demoCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('demo')
    .description('add a made-up shelter for trying things out; the service may keep running')
    .option('--remove', 'remove the demo with everything that visitors added')
    .option(
      '--force',
      'with --remove: remove the demo even if a shelter uses it, with all data of that shelter',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(async ({ remove, force }: { remove?: true; force?: true }) => {
      const config = settings()
      const done = await withStore(config.databaseUrl, (store) =>
        remove ? removeAll(store, force) : fill(store, config),
      )
      await print(stdout, done)
    })
}

async function fill(store: CommandStore, config: Config): Promise<string> {
  const { fillDemo } = await import('../demo/fill.ts')
  const { openPhotos } = await import('../photos/storage/open.ts')
  const files = await openPhotos(config)
  try {
    const filled = await fillDemo(store, files, Date.now)
    if (!filled) return 'the demo already exists; `adoptable demo --remove` removes it'
    const { animals, applications } = filled
    return `added a made-up shelter with ${animals} animals and ${applications} applications; see ${config.origin}/animals while the service is running`
  } finally {
    await files.close()
  }
}

async function removeAll({ write }: CommandStore, force = false): Promise<string> {
  const remove = () => write(changes.removeDemo, force, Date.now())
  // On PostgreSQL, others may add data during the removal, which then removes nothing. A retry finds it.
  await remove().catch(remove)
  return 'removed the demo'
}
