import { type Command, InvalidArgumentError, Option } from 'commander'
import { ACCESS_LEVELS, type Access } from '../access.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import * as keys from '../keys/store.ts'
import { type Limits, PLANS, type Plan } from '../plans.ts'
import { linesOf, toShown } from './keys-shown.ts'
import { print } from './print.ts'
import { missingFile, requireStore } from './store-file.ts'

interface CreateOptions {
  name: string
  plan: Plan
  perMinute?: number
  perDay?: number
  access: Access
  json?: true
}

/**
 * The subcommands that manage API keys; they work beside a running server, which obeys from its next
 * request.
 */
export function keysCommand(program: Command, settings: () => Config): void {
  const command = program
    .command('keys')
    .description('make, list, revoke and rotate API keys')
    .action(() => command.error('error: keys needs one of its commands: create, list, revoke, rotate'))
  for (const add of [createCommand, listCommand, revokeCommand, rotateCommand]) add(command, settings)
}

function createCommand(command: Command, settings: () => Config): void {
  command
    .command('create')
    .description('make a key; it alone is printed, this once')
    .requiredOption('--name <name>', 'what or whom the key is for', name)
    .addOption(new Option('--plan <plan>', 'plan').choices(Object.keys(PLANS)).makeOptionMandatory())
    .option('--per-minute <requests>', 'requests a minute, of an enterprise key', count)
    .option('--per-day <requests>', 'requests a day, of an enterprise key', count)
    .addOption(new Option('--access <level>', 'what it may do').choices(ACCESS_LEVELS).default('write'))
    .option('--json', 'the key and what it may do, as JSON')
    .action(async (options: CreateOptions, self: Command) => {
      const limits = limitsOf(options, self)
      const config = settings()
      const made = await missingFile(config.databaseUrl)
      await withStore(config, async (writer, db) => {
        const key = generateKey(config.environment)
        const { name, plan, access, json } = options
        const id = await writer.write(
          keys.insertKey,
          { name, plan, access, limits },
          hashKey(key),
          Date.now(),
        )
        // Where DATABASE_URL is mistyped, no service knows this key. On stderr, as stdout is the key alone.
        if (made !== undefined)
          console.error(`adoptable: made a new store at ${made}, which DATABASE_URL names`)
        await printKey(db, id, key, json)
      })
    })
}

function listCommand(command: Command, settings: () => Config): void {
  command
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) =>
      inStore(settings(), async (_writer, db) => {
        const shown = (await keys.list(db)).map(toShown)
        const text = json ? JSON.stringify(shown, null, 2) : linesOf(shown).join('\n')
        if (text !== '') await print(text)
      }),
    )
}

function revokeCommand(command: Command, settings: () => Config): void {
  command
    .command('revoke')
    .description('end a key at once, with all its secrets')
    .argument('<id>', 'number of the key, as listed', count)
    .action((id: number) =>
      inStore(settings(), async (writer) => {
        if (!(await writer.write(keys.revokeKey, id, Date.now()))) throw unknownKey(id)
      }),
    )
}

function rotateCommand(command: Command, settings: () => Config): void {
  command
    .command('rotate')
    .description('give a key a new secret; it alone is printed, this once')
    .argument('<id>', 'number of the key, as listed', count)
    .option(
      '--overlap <time>',
      'how long the old secret still works, such as 90s, 30m, 24h or 7d',
      time,
      time('24h'),
    )
    .option('--json', 'the key and what it may do, as JSON')
    .action(async (id: number, { overlap, json }: { overlap: number; json?: true }) => {
      const config = settings()
      await inStore(config, async (writer, db) => {
        const key = generateKey(config.environment)
        if (!(await writer.write(keys.rotateKey, id, hashKey(key), Date.now(), overlap))) throw unknownKey(id)
        await printKey(db, id, key, json)
      })
    })
}

/** The one time that the key is told. */
async function printKey(db: Db, id: number, key: string, json: true | undefined): Promise<void> {
  const [shown] = (await keys.list(db)).filter((row) => row.id === id).map(toShown)
  await print(json ? JSON.stringify({ id, key, ...shown }, null, 2) : key).catch((cause: Error) => {
    throw new Error(
      `a secret of key ${id} was made, and nobody has seen it: revoke or rotate it. ${cause.message}`,
    )
  })
}

type Work = (writer: Writer, db: Db) => Promise<void>

/** For what needs a store with keys, in which a new one would only hide that DATABASE_URL is wrong. */
async function inStore(config: Config, work: Work): Promise<void> {
  await requireStore(config.databaseUrl)
  await withStore(config, work)
}

async function withStore(config: Config, work: Work): Promise<void> {
  const { openForCommand } = await import('../db/database.ts')
  const store = await openForCommand(config.databaseUrl)
  try {
    await work(store, store.db)
  } finally {
    await store.close()
  }
}

function unknownKey(id: number): Error {
  return new Error(`there is no key ${id} that is not revoked; \`adoptable keys list\` shows all of them`)
}

function limitsOf({ plan, perMinute, perDay }: CreateOptions, command: Command): Limits | undefined {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return undefined
    return command.error('error: --per-minute and --per-day go with --plan enterprise only')
  }
  if (perMinute === undefined || perDay === undefined) {
    return command.error('error: --plan enterprise needs --per-minute and --per-day')
  }
  return { perMinute, perDay }
}

function name(text: string): string {
  if (!/^(?=\s*\S)\P{Cc}{1,200}$/u.test(text))
    throw new InvalidArgumentError('It must have 1 to 200 printable characters.')
  return text
}

function count(text: string): number {
  const value = Number(text)
  if (!/^\d{1,10}$/.test(text) || value < 1)
    throw new InvalidArgumentError('It must be a whole number from 1.')
  return value
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** @returns milliseconds */
function time(text: string): number {
  const [, digits, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  if (!digits || !unit)
    throw new InvalidArgumentError('It must be a number and a unit, such as 24h (s, m, h or d).')
  return Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]
}
