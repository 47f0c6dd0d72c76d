import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command, CommanderError } from 'commander'
import { type Config, ConfigError, readConfig, type SettingOverrides } from '../config.ts'
import { release } from '../release.ts'
import { backupCommand } from './backup.ts'
import { breedsCommand } from './breeds.ts'
import type { CommandContext, Settings } from './command.ts'
import { copyCommand } from './copy.ts'
import { countersCommand } from './counters.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { explain } from './explain.ts'
import { exportCommand } from './export.ts'
import { importCommand } from './import.ts'
import { keysCommand } from './keys.ts'
import { openapiCommand } from './openapi.ts'
import { peopleCommand } from './people.ts'
import { sampleCommand } from './sample.ts'
import { serveCommand } from './serve.ts'
import { staffCommand } from './staff.ts'
import { ignoreClosedPipes, note, type Output, type Streams } from './terminal.ts'

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
 *
 * @param environment variables; a file `.env` adds missing ones
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
