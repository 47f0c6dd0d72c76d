import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { ACCESS_LEVELS, type Access } from '../access.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { makeKey, renewKey } from '../keys/make.ts'
import * as keys from '../keys/store.ts'
import { type Limits, PLANS, type Plan } from '../plans.ts'
import type { CommandContext } from './command-context.ts'
import { idOfCode, inStore, withStore } from './in-store.ts'
import { count, name, time } from './keys-options.ts'
import { linesOf, toShown } from './keys-shown.ts'
import { settingsHelp } from './settings.ts'
import { requireStoreOr } from './store-file.ts'
import { note, type Output, print, printForReader } from './terminal.ts'

interface CreateOptions {
  name: string
  plan: Plan
  perMinute?: number
  perDay?: number
  access: Access
  organization?: string
  client?: true
  init?: true
  json?: true
}

interface RotateOptions {
  overlap: number
  client?: true
  json?: true
}

/**
 * The subcommands that manage API keys; they work beside a running server, which obeys from its next
 * request.
 */
export function keysCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('keys')
    .description('make, list, revoke and rotate API keys')
    .allowExcessArguments()
    .action(() => {
      // Names the one that was meant.
      if (command.args.length > 0) (command as unknown as { unknownCommand(): never }).unknownCommand()
      command.error('error: keys needs one of its commands: create, list, revoke, rotate')
    })
  for (const add of [createCommand, listCommand, revokeCommand, rotateCommand]) add(command, context)
}

function createCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('create')
    .description('make a key; it alone is printed, this once')
    .requiredOption('--name <name>', 'what or whom the key is for', name)
    .addOption(new Option('--plan <plan>', 'plan').choices(Object.keys(PLANS)).makeOptionMandatory())
    .option('--per-minute <requests>', 'requests a minute, of an enterprise key', count)
    .option('--per-day <requests>', 'requests a day, of an enterprise key', count)
    .addOption(new Option('--access <level>', 'what it may do').choices(ACCESS_LEVELS).default('write'))
    .option('--organization <code>', 'the organization whose animals alone it changes')
    .option(
      '--client',
      'a client id and secret for programs written for the Petfinder API v2, in place of a key',
    )
    .option('--init', 'make a new store where there is none')
    .option('--json', 'the key and what it may do, as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'ADOPTABLE_ENVIRONMENT'))
    .action(async (options: CreateOptions, self: Command) => {
      const limits = limitsOf(options, self)
      if (options.organization !== undefined && options.access === 'admin')
        self.error(
          'error: a key of an organization has read or write access: admin is for the whole installation',
        )
      const config = settings()
      const made = await requireStoreOr(options.init, config.databaseUrl)
      await withStore(config, async (writer, db) => {
        const { name, plan, access, organization, json } = options
        const organizationId = organization === undefined ? undefined : await idOfCode(db, organization)
        const owned = { name, plan, access, organizationId, limits }
        const form = options.client ? 'client' : config.environment
        const { id, secret } = await makeKey(writer.write, form, owned, Date.now())
        await printKey(stdout, db, { id, secret, json })
        // On stderr, as stdout is the key alone.
        if (made !== undefined) note(stderr, `made the store ${resolve(made)}`)
        note(stderr, `made key ${id}, "${name}": plan ${plan}, access ${access}. It is shown this once`)
      })
    })
}

function listCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(({ json }: { json?: true }) =>
      inStore(settings(), async (_writer, db) => {
        const shown = (await keys.list(db)).map(toShown)
        const text = json ? JSON.stringify(shown, null, 2) : linesOf(shown, stdout).join('\n')
        await print(stdout, text)
        if (shown.length === 0) note(stderr, 'there are no keys yet; `adoptable keys create` makes one')
      }),
    )
}

function revokeCommand(command: Command, { settings, stdout }: CommandContext): void {
  command
    .command('revoke')
    .description('end a key at once, with all its secrets')
    .argument('<id>', 'number of the key, as listed', count)
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action((id: number) =>
      inStore(settings(), async (writer, db) => {
        if (!(await writer.write(changes.revokeKey, id, Date.now()))) throw unknownKey(id)
        await print(
          stdout,
          `revoked key ${id}, "${await nameOf(db, id)}": a request that carries it is answered with 401`,
        )
      }),
    )
}

function rotateCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('rotate')
    .description('give a key a new secret; it alone is printed, this once')
    .argument('<id>', 'number of the key, as listed', count)
    .addOption(
      new Option('--overlap <time>', 'how long the old secret still works, such as 90s, 30m, 24h or 7d')
        .argParser(time)
        .default(time('24h'), '24h'),
    )
    .option('--client', 'a client id and secret, in place of a key')
    .option('--json', 'the key and what it may do, as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'ADOPTABLE_ENVIRONMENT'))
    .action(async (id: number, { overlap, client, json }: RotateOptions) => {
      const config = settings()
      await inStore(config, async (writer, db) => {
        const now = Date.now()
        const form = client ? 'client' : config.environment
        const secret = await renewKey(writer.write, form, { id, now, overlapMs: overlap })
        if (secret === undefined) throw unknownKey(id)
        await printKey(stdout, db, { id, secret, json })
        const end = new Date(now + overlap).toISOString()
        note(
          stderr,
          `key ${id}, "${await nameOf(db, id)}", has a new secret; the one before works until ${end}`,
        )
      })
    })
}

/** The one time that the key is told. */
async function printKey(
  stdout: Output,
  db: Db,
  { id, secret, json }: { id: number; secret: string; json: true | undefined },
): Promise<void> {
  const [shown] = (await keys.list(db)).filter((row) => row.id === id).map(toShown)
  const [clientId, clientSecret] = secret.split(':')
  const told = clientSecret === undefined ? { key: secret } : { clientId, clientSecret }
  const lines =
    clientSecret === undefined ? secret : `client id      ${clientId}\nclient secret  ${clientSecret}`
  await printForReader(stdout, json ? JSON.stringify({ id, ...told, ...shown }, null, 2) : lines).catch(
    (cause: Error) => {
      throw new Error(
        `a secret of key ${id} was made, and nobody has seen it: revoke or rotate it. ${cause.message}`,
      )
    },
  )
}

async function nameOf(db: Db, id: number): Promise<string | undefined> {
  return (await keys.list(db)).find((key) => key.id === id)?.name
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
