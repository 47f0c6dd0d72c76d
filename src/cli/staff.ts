import { type Command, Option } from 'commander'
import { ROLES, type Role } from '../access.ts'
import type { Config } from '../config.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Staff } from '../staff/store.ts'
import { type CommandContext, commandGroup, getOrganizationId, inStore, settingsHelp } from './command.ts'
import { formatList, note, type Output, print, printForReader } from './terminal.ts'

interface AddOptions {
  email: string
  name: string
  role: Role
  organization?: string
}

/** The subcommands for staff accounts. A running service applies changes immediately. */
export function staffCommand(program: Command, context: CommandContext): void {
  const command = commandGroup(program, 'staff', 'add, list, reset and remove staff accounts')
  for (const add of [addCommand, listCommand, resetCommand, removeCommand]) add(command, context)
}

function addCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('add')
    .description('create an account and print the link for choosing a password; it is shown only once')
    .requiredOption('--email <address>', 'e-mail address for signing in')
    .requiredOption('--name <name>', 'name, as shown in the history of animals')
    .addOption(new Option('--role <role>', 'what the person may do').choices(ROLES).makeOptionMandatory())
    .option('--organization <code>', 'limit the person to the animals of this organization')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM'))
    .action(async (options: AddOptions, self: Command) => {
      const config = settings()
      await inStore(config.databaseUrl, async ({ write, db }) => {
        const { invite } = await import('../staff/join.ts')
        const { email, name, role } = options
        const organizationId = await getOrganizationId(db, options.organization)
        const person = { email, name, role, organizationId }
        const context = { write, clock: Date.now }
        const { staffId, token } = await invite(context, person, undefined).catch(toMisuse(self))
        await printLink(stdout, config, staffId, token)
        note(stderr, `created account ${staffId}, role ${role}. The link works once, within 72 hours`)
        await sendByMail(stderr, config, db, token)
      })
    })
}

function listCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('list')
    .description('list all accounts')
    .option('--json', 'print JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(({ json }: { json?: true }) =>
      inStore(settings().databaseUrl, async ({ db }) => {
        const staff = await import('../staff/store.ts')
        const views = (await staff.list(db)).map(toView)
        await print(stdout, json ? JSON.stringify(views, null, 2) : formatList(toRows(views), stdout))
        if (views.length === 0) note(stderr, 'there are no accounts yet; `adoptable staff add` creates one')
      }),
    )
}

function resetCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('reset')
    .description('print a link for choosing a new password; it is shown only once')
    .argument('<email>', 'e-mail address of the account')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM'))
    .action(async (email: string) => {
      const config = settings()
      await inStore(config.databaseUrl, async ({ write, db }) => {
        const { issueResetLink } = await import('../staff/join.ts')
        const { id } = await getAccount(db, email)
        const made = await issueResetLink({ write, clock: Date.now }, id, undefined)
        if (!made) throw unknownAccount(email)
        await printLink(stdout, config, id, made.token)
        const validity = 'works once, within 72 hours; until then the old password works'
        note(stderr, `the link for account ${id} ${validity}`)
        await sendByMail(stderr, config, db, made.token)
      })
    })
}

function removeCommand(command: Command, { settings, stdout }: CommandContext): void {
  command
    .command('remove')
    .description('remove an account with all personal data, and sign its owner out')
    .argument('<email>', 'e-mail address of the account')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action((email: string) =>
      inStore(settings().databaseUrl, async ({ write, db }) => {
        const { id } = await getAccount(db, email)
        if (!(await write(changes.removeStaff, id, undefined, Date.now()))) throw unknownAccount(email)
        await print(stdout, `removed account ${id} and signed its owner out everywhere`)
      }),
    )
}

/** Prints the link, which is not stored and cannot be shown again. */
async function printLink(stdout: Output, config: Config, id: number, token: string): Promise<void> {
  const { joinLink } = await import('../staff/join.ts')
  await printForReader(stdout, joinLink(config.origin, token)).catch((cause: Error) => {
    throw new Error(
      `a link for account ${id} was created but could not be shown: run \`adoptable staff reset\`. ${cause.message}`,
    )
  })
}

async function sendByMail(stderr: Output, config: Config, db: Db, token: string): Promise<void> {
  const { openMail } = await import('../mail/mail.ts')
  const { sendLink } = await import('../staff/join.ts')
  const mail = openMail(config, ({ message }) => note(stderr, `the link was not sent: ${message}`))
  if (await sendLink({ db, clock: Date.now, mail }, token, config)) note(stderr, 'sent the link by e-mail')
}

async function getAccount(db: Db, email: string): Promise<Staff> {
  const staff = await import('../staff/store.ts')
  const { foldEmail } = await import('../staff/roles.ts')
  // A person may have several open invitations. This uses the first one.
  const account =
    (await staff.findByEmail(db, email)) ??
    (await staff.list(db)).find((one) => foldEmail(one.email) === foldEmail(email))
  if (!account) throw unknownAccount(email)
  return account
}

function unknownAccount(email: string): Error {
  return new Error(
    `there is no account with the address ${email}; \`adoptable staff list\` lists all accounts`,
  )
}

/** Reports invalid options in one line. */
function toMisuse(command: Command): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || !error.details) throw error
    const problems = error.details.map(({ pointer = '', message }) => `--${pointer.slice(1)}: ${message}`)
    return command.error(`error: ${problems.join(' ')}`)
  }
}

/** An account in JSON output, without its password. */
type StaffView = ReturnType<typeof toView>

function toView({ id, email, name, role, organization, password, createdAt }: Staff) {
  return {
    id,
    email,
    name,
    role,
    ...(organization !== null && { organization }),
    state: password === null ? 'invited' : 'active',
    createdAt: new Date(createdAt).toISOString(),
  }
}

const COLUMNS = ['id', 'email', 'name', 'role', 'organization', 'state', 'created']

function toRows(views: StaffView[]): string[][] {
  const rows = views.map(({ id, email, name, role, organization = '', state, createdAt }) => {
    return [String(id), email, name, role, organization, state, createdAt]
  })
  return [COLUMNS, ...rows]
}
