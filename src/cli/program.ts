import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Command, CommanderError } from 'commander'
import { type Config, ConfigError, readConfig, type Typed } from '../config.ts'
import { release } from '../release.ts'
import { backupCommand } from './backup.ts'
import { breedsCommand } from './breeds.ts'
import type { CommandContext } from './command-context.ts'
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
import type { Settings } from './settings.ts'
import { staffCommand } from './staff.ts'
import { note, type Output, type Streams } from './terminal.ts'

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
 * The executable `adoptable`; the only reader of the environment.
 *
 * @param environment a file `.env` adds to it what it does not say
 * @returns the exit code: 0, 1 for a failure, 2 for wrong arguments
 */
export async function runCli(
  argv: string[],
  environment: NodeJS.ProcessEnv,
  streams: Streams = process,
): Promise<number> {
  let config: Config | undefined
  let given: Typed = {}
  const settings: Settings = (typed = {}) => {
    loadFile('.env', environment)
    given = typed
    config = readConfig(environment, typed)
    return config
  }
  const { stdout, stderr } = streams
  const context: CommandContext = {
    settings,
    environment,
    stdout,
    stderr,
    // Not before it is read: Node opens the input of the process when it is first asked for.
    get stdin() {
      return streams.stdin
    },
  }

  try {
    await commandsOf(context).parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    note(stderr, `adoptable: ${explain(error, config, (name) => given[name]?.option ?? name)}`)
    return error instanceof ConfigError ? MISUSED : FAILED
  }
}

/** The program with all its commands, ready to read arguments. */
export function commandsOf(context: CommandContext): Command {
  const { stdout, stderr } = context
  const program = new Command('adoptable')
    .description('The open pet adoption service.')
    .version(release())
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
      outputError: (message, write) => write(`${inOneLine(message)}\n`),
    })
    .exitOverride()
  for (const add of COMMANDS) add(program, context)
  return program
}

/** Up to which column help is written. */
function widthOf({ isTTY, columns }: Output): number {
  return (isTTY && columns) || HELP_WIDTH
}

/** What was meant, where commander can tell, stands on a line of its own. */
function inOneLine(message: string): string {
  return message.trim().replace(/\s*\n\s*/g, ' ')
}

/** Adds to the environment what it does not say itself. */
function loadFile(file: string, environment: NodeJS.ProcessEnv): void {
  if (!existsSync(file)) return
  try {
    for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8'))))
      environment[name] ??= value
  } catch (cause) {
    throw Object.assign(new ConfigError(`${file} cannot be read: ${(cause as Error).message}`), { cause })
  }
}
