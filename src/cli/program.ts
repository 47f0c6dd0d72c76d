import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import { type Config, readConfig } from '../config.ts'
import { release } from '../release.ts'
import { ConfigError, type Typed } from '../setting.ts'
import { backupCommand } from './backup.ts'
import { breedsCommand } from './breeds.ts'
import { completionCommand } from './completion.ts'
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
import { reindexCommand } from './reindex.ts'
import { sampleCommand } from './sample.ts'
import { serveCommand } from './serve.ts'
import type { Settings } from './settings.ts'
import { staffCommand } from './staff.ts'

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
  reindexCommand,
  openapiCommand,
  doctorCommand,
  completionCommand,
]

const FAILED = 1
const MISUSED = 2

/**
 * The executable `adoptable`; the only reader of the environment.
 *
 * @returns the exit code: 0, 1 for a failure, 2 for wrong arguments
 */
export async function runCli(argv: string[], environment: NodeJS.ProcessEnv): Promise<number> {
  let config: Config | undefined
  let given: Typed = {}
  const settings: Settings = (typed = {}) => {
    loadFile('.env')
    given = typed
    config = readConfig(environment, typed)
    return config
  }
  const program = new Command('adoptable')
    .description('The open pet adoption service.')
    .version(release())
    .configureOutput({ outputError: (message, write) => write(`${inOneLine(message)}\n`) })
    .exitOverride()
  for (const add of COMMANDS) add(program, settings)

  try {
    await program.parseAsync(argv)
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    console.error(`adoptable: ${explain(error, config, (name) => given[name]?.option ?? name)}`)
    return error instanceof ConfigError ? MISUSED : FAILED
  }
}

/** What was meant, where commander can tell, stands on a line of its own. */
function inOneLine(message: string): string {
  return message.trim().replace(/\s*\n\s*/g, ' ')
}

/** Adds to the environment what it does not say itself. */
function loadFile(file: string): void {
  if (!existsSync(file)) return
  try {
    process.loadEnvFile(file)
  } catch (cause) {
    throw new ConfigError(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  }
}
