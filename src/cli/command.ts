import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { type Config, SETTINGS, type SettingOverrides } from '../config.ts'
import { fileOf, isPostgres, noStoreError } from '../db/store-url.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import type { Streams } from './terminal.ts'

// Shared by all commands: the context, the help for settings, the parsers of options, and the store.

/** The parts of the process that a command may use. */
export interface CommandContext extends Streams {
  settings: Settings
  /** All environment variables. `settings` reads the settings among them. */
  environment: NodeJS.ProcessEnv
}

/** Reads the settings. Options override them. */
export type Settings = (typed?: SettingOverrides) => Config

const WIDTH = 28

export const ALL_SETTINGS = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[]

/** The part of the help of a command that lists the settings it reads. */
export function settingsHelp(...names: typeof ALL_SETTINGS): string {
  const lines = names.map((name) => {
    const { default: fallback, meaning } = SETTINGS[name]
    return `  ${name.padEnd(WIDTH)}  ${meaning}${fallback === '' ? '' : ` (default: ${fallback})`}`
  })
  return `\nSettings, from the environment or a file .env:\n${lines.join('\n')}`
}

/** A command with subcommands. Without a subcommand, it lists them as an error. */
export function commandGroup(program: Command, name: string, description: string): Command {
  const group = program
    .command(name)
    .description(description)
    .allowExcessArguments()
    .action(() => {
      // Suggests a similar subcommand.
      if (group.args.length > 0) (group as unknown as { unknownCommand(): never }).unknownCommand()
      const names = group.commands.map((command) => command.name())
      group.error(`error: ${name} needs a subcommand: ${names.join(', ')}`)
    })
  return group
}

/** Parses an option or argument that is an integer from 1. */
export function parseCount(text: string): number {
  const value = Number(text)
  if (!/^\d{1,10}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return value
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses an option such as 24h. @returns milliseconds */
export function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (!digits || !unit)
    throw new InvalidArgumentError('It must be a number and a unit, such as 24h (s, m, h or d).')
  return Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
}

/** A store opened by a command, whether or not a service uses it too. */
export type CommandStore = Writer & { db: Db }

/** Opens the store for the work, and creates a missing one. @throws if its schema is of another release */
export async function withStore<Result>(
  databaseUrl: string,
  work: (store: CommandStore) => Promise<Result>,
): Promise<Result> {
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  const store = await openForCommand(databaseUrl, changes)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Like `withStore`, but the store must exist. Creating a store would hide a wrong DATABASE_URL. */
export async function inStore<Result>(
  databaseUrl: string,
  work: (store: CommandStore) => Promise<Result>,
): Promise<Result> {
  requireStore(databaseUrl)
  return withStore(databaseUrl, work)
}

/** @throws if the store does not exist */
export function requireStore(databaseUrl: string): void {
  const file = findMissingFile(databaseUrl)
  if (file !== undefined) throw noStoreError(`at ${file}`)
}

/**
 * Requires `init` before a command creates a store. In the wrong folder, the command would otherwise create a
 * store that no service uses.
 * @param init whether to create a store
 * @returns the file that opening the store will create; undefined if the store exists
 * @throws if the store does not exist and `init` is not set
 */
export function requireStoreOrInit(init: true | undefined, databaseUrl: string): string | undefined {
  const file = findMissingFile(databaseUrl)
  if (file !== undefined && !init)
    throw new Error(`${noStoreError(`at ${file}`).message}; use --init to create one there`)
  return file
}

/** Returns the path of a SQLite store that does not exist yet; undefined if it exists or is on PostgreSQL. */
function findMissingFile(databaseUrl: string): string | undefined {
  if (isPostgres(databaseUrl)) return undefined
  const file = fileOf(databaseUrl)
  // existsSync would return false for a file that this user may not access.
  return statSync(file, { throwIfNoEntry: false }) ? undefined : file
}

/** @throws if no organization has this code */
export async function getOrganizationId(db: Db, code: string | undefined): Promise<number | undefined> {
  if (code === undefined) return undefined
  const organizations = await import('../organizations/store.ts')
  const id = await organizations.findIdByCode(db, code)
  if (id === undefined) throw new Error(`there is no organization with the code ${code}`)
  return id
}
