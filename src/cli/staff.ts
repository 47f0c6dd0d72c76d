import { type Command, Option } from 'commander'
import { ROLES, type Role } from '../access.ts'
import type { Config } from '../config.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import type { Staff } from '../staff/store.ts'
import type { CommandContext } from './command-context.ts'
import { idOfCode, inStore } from './in-store.ts'
import { settingsHelp } from './settings.ts'
import { linesOf, toShown } from './staff-shown.ts'
import { note, type Output, print, printForReader } from './terminal.ts'

interface AddOptions {
  email: string
  name: string
  role: Role
  organization?: string
}

/** The subcommands for the accounts of people; they work beside a running server, which obeys at once. */
export function staffCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('staff')
    .description('add, list, reset and remove the accounts of people')
    .allowExcessArguments()
    .action(() => {
      // Names the one that was meant.
      if (command.args.length > 0) (command as unknown as { unknownCommand(): never }).unknownCommand()
      command.error('error: staff needs one of its commands: add, list, reset, remove')
    })
  for (const add of [addCommand, listCommand, resetCommand, removeCommand]) add(command, context)
}

function addCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('add')
    .description('make an account; the link by which its owner chooses a password is printed, this once')
    .requiredOption('--email <address>', 'their e-mail address, with which they sign in')
    .requiredOption('--name <name>', 'their name, as the history of animals shows it')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).makeOptionMandatory())
    .option('--organization <code>', 'the organization with whose animals alone they work')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM'))
    .action(async (options: AddOptions, self: Command) => {
      const config = settings()
      await inStore(config, async ({ write }, db) => {
        const { invite } = await import('../staff/join.ts')
        const { email, name, role, organization } = options
        const organizationId = organization === undefined ? undefined : await idOfCode(db, organization)
        const person = { email, name, role, organizationId }
        const context = { write, clock: Date.now }
        const { staffId, token } = await invite(context, person, undefined).catch(toMisuse(self))
        await printLink(stdout, config, staffId, token)
        note(stderr, `made account ${staffId}, role ${role}. The link works once, within 72 hours`)
        await sendByMail(stderr, config, db, token)
      })
    })
}

function listCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('list')
    .description('list the accounts')
    .option('--json', 'as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(({ json }: { json?: true }) =>
      inStore(settings(), async (_writer, db) => {
        const staff = await import('../staff/store.ts')
        const shown = (await staff.list(db)).map(toShown)
        await print(stdout, json ? JSON.stringify(shown, null, 2) : linesOf(shown, stdout).join('\n'))
        if (shown.length === 0) note(stderr, 'there are no accounts yet; `adoptable staff add` makes one')
      }),
    )
}

function resetCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('reset')
    .description('make a link by which somebody chooses a new password; it is printed, this once')
    .argument('<email>', 'e-mail address of the account')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'SMTP_URL', 'MAIL_FROM'))
    .action(async (email: string) => {
      const config = settings()
      await inStore(config, async ({ write }, db) => {
        const { reset } = await import('../staff/join.ts')
        const { id } = await accountOf(db, email)
        const made = await reset({ write, clock: Date.now }, id, undefined)
        if (!made) throw unknownAccount(email)
        await printLink(stdout, config, id, made.token)
        note(stderr, `the link for account ${id} works once, within 72 hours; the password before until then`)
        await sendByMail(stderr, config, db, made.token)
      })
    })
}

function removeCommand(command: Command, { settings, stdout }: CommandContext): void {
  command
    .command('remove')
    .description('remove an account with all that is personal, and sign its owner out')
    .argument('<email>', 'e-mail address of the account')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action((email: string) =>
      inStore(settings(), async ({ write }, db) => {
        const { id } = await accountOf(db, email)
        if (!(await write(changes.removeStaff, id, undefined, Date.now()))) throw unknownAccount(email)
        await print(stdout, `removed account ${id}: its owner is signed out everywhere`)
      }),
    )
}

/** The one time that the link is told. */
async function printLink(stdout: Output, config: Config, id: number, token: string): Promise<void> {
  const { linkOf } = await import('../staff/join.ts')
  await printForReader(stdout, linkOf(config.origin, token)).catch((cause: Error) => {
    throw new Error(`a link for account ${id} was made, and nobody has seen it: reset it. ${cause.message}`)
  })
}

async function sendByMail(stderr: Output, config: Config, db: Db, token: string): Promise<void> {
  const { openMail } = await import('../mail/mail.ts')
  const { sendLink } = await import('../staff/join.ts')
  const mail = openMail(config, ({ message }) => note(stderr, `the link was not sent: ${message}`))
  if (await sendLink({ db, clock: Date.now, mail }, token, config))
    note(stderr, 'the link was sent by e-mail')
}

async function accountOf(db: Db, email: string): Promise<Staff> {
  const staff = await import('../staff/store.ts')
  const account = await staff.findByEmail(db, email)
  if (!account) throw unknownAccount(email)
  return account
}

function unknownAccount(email: string): Error {
  return new Error(`there is no account of ${email}; \`adoptable staff list\` shows all of them`)
}

/** What is wrong with the options, in one line. */
function toMisuse(command: Command): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof ApiError) || !error.details) throw error
    const problems = error.details.map(({ pointer = '', message }) => `--${pointer.slice(1)}: ${message}`)
    return command.error(`error: ${problems.join(' ')}`)
  }
}
