import { styleText } from 'node:util'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ACCESS_LEVELS, type Access } from '../access.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { generateKey, hashKey } from '../keys/key-format.ts'
import * as keys from '../keys/store.ts'
import { type Limits, PLANS, type Plan } from '../plans.ts'
import { alignedLines } from './table.ts'

interface CreateOptions {
  name: string
  plan: Plan
  perMinute?: number
  perDay?: number
  access: Access
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

  command
    .command('create')
    .description('make a key; it alone is printed, this once')
    .requiredOption('--name <name>', 'what or whom the key is for', name)
    .addOption(new Option('--plan <plan>', 'plan').choices(Object.keys(PLANS)).makeOptionMandatory())
    .option('--per-minute <requests>', 'requests a minute, of an enterprise key', count)
    .option('--per-day <requests>', 'requests a day, of an enterprise key', count)
    .addOption(new Option('--access <level>', 'what it may do').choices(ACCESS_LEVELS).default('write'))
    .action(async (options: CreateOptions, self: Command) => {
      const limits = limitsOf(options, self)
      const config = settings()
      await withStore(config, async (writer) => {
        const key = generateKey(config.environment)
        const { name, plan, access } = options
        await writer.write(keys.insertKey, { name, plan, access, limits }, hashKey(key), Date.now())
        console.log(key)
      })
    })

  command
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) =>
      withStore(settings(), async (_writer, db) => {
        const rows = (await keys.list(db)).map(toShown)
        if (json) console.log(JSON.stringify(rows, null, 2))
        else for (const line of linesOf(rows.map(cellsOf))) console.log(line)
      }),
    )

  command
    .command('revoke')
    .description('end a key at once, with all its secrets')
    .argument('<id>', 'number of the key, as listed', count)
    .action((id: number) =>
      withStore(settings(), async (writer) => {
        if (!(await writer.write(keys.revokeKey, id, Date.now()))) throw unknownKey(id)
      }),
    )

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
    .action(async (id: number, { overlap }: { overlap: number }) => {
      const config = settings()
      await withStore(config, async (writer) => {
        const key = generateKey(config.environment)
        if (!(await writer.write(keys.rotateKey, id, hashKey(key), Date.now(), overlap))) throw unknownKey(id)
        console.log(key)
      })
    })
}

async function withStore(config: Config, work: (writer: Writer, db: Db) => Promise<void>): Promise<void> {
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

function toShown({ id, name, plan, access, per_minute, per_day, created_at, revoked_at }: keys.Key) {
  return {
    id,
    name,
    plan,
    access,
    ...(per_minute === null ? {} : { perMinute: per_minute, perDay: per_day }),
    createdAt: new Date(created_at).toISOString(),
    ...(revoked_at === null ? {} : { revokedAt: new Date(revoked_at).toISOString() }),
  }
}

const COLUMNS = ['id', 'name', 'plan', 'access', 'created', 'state']

function cellsOf({ id, name, plan, access, createdAt, revokedAt }: ReturnType<typeof toShown>): string[] {
  return [String(id), name, plan, access, createdAt, revokedAt ? `revoked ${revokedAt}` : 'valid']
}

/** Columns for a person at a terminal; elsewhere tabs between cells, for a program. */
function linesOf(rows: string[][]): string[] {
  if (!process.stdout.isTTY) return rows.map((cells) => cells.join('\t'))
  const [head = '', ...lines] = alignedLines([COLUMNS, ...rows])
  return [styleText('bold', head), ...lines]
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
