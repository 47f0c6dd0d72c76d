import { resolve } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { ACCESS_LEVELS, type Access } from '../access.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { isKeyName, MAX_KEY_NAME, makeKey, renewKey } from '../keys/make.ts'
import * as keys from '../keys/store.ts'
import { type Limits, PLANS, type Plan } from '../plans.ts'
import {
  type CommandContext,
  commandGroup,
  getOrganizationId,
  inStore,
  parseCount,
  parseDuration,
  requireStoreOrInit,
  settingsHelp,
  withStore,
} from './command.ts'
import { formatList, note, type Output, print, printForReader } from './terminal.ts'

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

/** The subcommands for API keys. A running service applies changes from its next request. */
export function keysCommand(program: Command, context: CommandContext): void {
  const command = commandGroup(program, 'keys', 'create, list, revoke and rotate API keys')
  for (const add of [createCommand, listCommand, revokeCommand, rotateCommand]) add(command, context)
}

function createCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('create')
    .description('create a key; stdout has only the key, which is shown only once')
    .requiredOption('--name <name>', 'who or what the key is for', parseName)
    .addOption(new Option('--plan <plan>', 'plan').choices(Object.keys(PLANS)).makeOptionMandatory())
    .option('--per-minute <requests>', 'requests per minute, for an enterprise key', parseCount)
    .option('--per-day <requests>', 'requests per day, for an enterprise key', parseCount)
    .addOption(new Option('--access <level>', 'what it may do').choices(ACCESS_LEVELS).default('write'))
    .option('--organization <code>', 'let the key change and export only the animals of this organization')
    .option(
      '--client',
      'create a client id and secret for programs written for the Petfinder API v2, instead of a key',
    )
    .option('--init', 'create a new store if none exists')
    .option('--json', 'print the key and its permissions as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'ADOPTABLE_ENVIRONMENT'))
    .action(async (options: CreateOptions, self: Command) => {
      const limits = parseLimits(options, self)
      if (options.organization !== undefined && options.access === 'admin')
        self.error(
          'error: a key of an organization has read or write access: admin is for the whole installation',
        )
      const config = settings()
      const made = requireStoreOrInit(options.init, config.databaseUrl)
      await withStore(config.databaseUrl, async ({ write, db }) => {
        const { name, plan, access, json } = options
        const organizationId = await getOrganizationId(db, options.organization)
        const owned = { name, plan, access, organizationId, limits }
        const form = options.client ? 'client' : config.environment
        const { id, secret } = await makeKey(write, form, owned, Date.now())
        await printKey(stdout, await getView(db, id), secret, json)
        // Prints to stderr, because stdout contains only the key.
        if (made !== undefined) note(stderr, `created the store ${resolve(made)}`)
        note(stderr, `created key ${id}, "${name}": plan ${plan}, access ${access}. It is shown only once`)
      })
    })
}

function listCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('list')
    .description('list the keys, without their secrets')
    .option('--json', 'print JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(({ json }: { json?: true }) =>
      inStore(settings().databaseUrl, async ({ db }) => {
        const views = (await keys.list(db)).map(toView)
        await print(stdout, json ? JSON.stringify(views, null, 2) : formatList(toRows(views), stdout))
        if (views.length === 0) note(stderr, 'there are no keys yet; `adoptable keys create` creates one')
      }),
    )
}

function revokeCommand(command: Command, { settings, stdout }: CommandContext): void {
  command
    .command('revoke')
    .description('revoke a key and all its secrets immediately')
    .argument('<id>', 'id of the key, as in the list', parseCount)
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action((id: number) =>
      inStore(settings().databaseUrl, async ({ write, db }) => {
        if (!(await write(changes.revokeKey, id, Date.now()))) throw unknownKey(id)
        const { name } = await getView(db, id)
        await print(stdout, `revoked key ${id}, "${name}": requests with it get a 401`)
      }),
    )
}

function rotateCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('rotate')
    .description('create a new secret for a key; stdout has only the secret, which is shown only once')
    .argument('<id>', 'id of the key, as in the list', parseCount)
    .addOption(
      new Option('--overlap <time>', 'how long the old secret keeps working, for example 90s, 30m, 24h or 7d')
        .argParser(parseDuration)
        .default(parseDuration('24h'), '24h'),
    )
    .option('--client', 'create a client id and secret instead of a key')
    .option('--json', 'print the key and its permissions as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'ADOPTABLE_ENVIRONMENT'))
    .action(async (id: number, { overlap, client, json }: RotateOptions) => {
      const config = settings()
      await inStore(config.databaseUrl, async ({ write, db }) => {
        const now = Date.now()
        const form = client ? 'client' : config.environment
        const secret = await renewKey(write, form, { id, now, overlapMs: overlap })
        if (secret === undefined) throw unknownKey(id)
        const view = await getView(db, id)
        await printKey(stdout, view, secret, json)
        const end = new Date(now + overlap).toISOString()
        note(stderr, `key ${id}, "${view.name}", has a new secret; the old one works until ${end}`)
      })
    })
}

/** Prints the secret, which is not stored and cannot be shown again. */
async function printKey(
  stdout: Output,
  view: KeyView,
  secret: string,
  json: true | undefined,
): Promise<void> {
  const { id, ...fields } = view
  const [clientId, clientSecret] = secret.split(':')
  const credentials = clientSecret === undefined ? { key: secret } : { clientId, clientSecret }
  const lines =
    clientSecret === undefined ? secret : `client id      ${clientId}\nclient secret  ${clientSecret}`
  await printForReader(
    stdout,
    json ? JSON.stringify({ id, ...credentials, ...fields }, null, 2) : lines,
  ).catch((cause: Error) => {
    throw new Error(
      `a secret of key ${id} was created but could not be shown: revoke or rotate the key. ${cause.message}`,
    )
  })
}

/** @param id of a key that exists */
async function getView(db: Db, id: number): Promise<KeyView> {
  return toView((await keys.list(db)).find((key) => key.id === id) as keys.Key)
}

function unknownKey(id: number): Error {
  return new Error(`there is no valid key ${id}; \`adoptable keys list\` lists all keys`)
}

function parseName(text: string): string {
  if (!isKeyName(text))
    throw new InvalidArgumentError(`It must have 1 to ${MAX_KEY_NAME} printable characters.`)
  return text
}

function parseLimits({ plan, perMinute, perDay }: CreateOptions, command: Command): Limits | undefined {
  if (plan !== 'enterprise') {
    if (perMinute === undefined && perDay === undefined) return undefined
    return command.error('error: use --per-minute and --per-day only with --plan enterprise')
  }
  if (perMinute === undefined || perDay === undefined) {
    return command.error('error: --plan enterprise needs --per-minute and --per-day')
  }
  return { perMinute, perDay }
}

/** A key in JSON output, without its secrets. */
type KeyView = ReturnType<typeof toView>

function toView(key: keys.Key) {
  const { id, name, plan, access, organization, per_minute, per_day, created_at, revoked_at } = key
  return {
    id,
    name,
    plan,
    access,
    ...(organization !== null && { organization }),
    ...(per_minute === null ? {} : { perMinute: per_minute, perDay: per_day }),
    createdAt: new Date(created_at).toISOString(),
    ...(revoked_at === null ? {} : { revokedAt: new Date(revoked_at).toISOString() }),
  }
}

function toRows(views: KeyView[]): string[][] {
  const rows = views.map(({ id, name, plan, access, createdAt, revokedAt, organization = '' }) => {
    const state = revokedAt ? `revoked ${revokedAt}` : 'valid'
    return [String(id), name, plan, access, createdAt, state, organization]
  })
  const all = [['id', 'name', 'plan', 'access', 'created', 'state', 'organization'], ...rows]
  // Leaves out the last column if no key has an organization, for scripts that do not expect that column.
  return views.some(({ organization }) => organization) ? all : all.map((row) => row.slice(0, -1))
}
