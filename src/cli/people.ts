import { setTimeout } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { Person } from '../applications/people.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { requireStore } from './store-file.ts'
import { note, print, whole } from './terminal.ts'

/** For whoever asks what is kept of them, or wants it gone (GDPR, articles 15 and 17). */
export function peopleCommand(program: Command, context: CommandContext): void {
  const command = program
    .command('people')
    .description('tell or erase what is stored of an adopter or applicant')
    .allowExcessArguments()
    .action(() => {
      // Names the one that was meant.
      if (command.args.length > 0) (command as unknown as { unknownCommand(): never }).unknownCommand()
      command.error('error: people needs one of its commands: export, erase')
    })
  exportCommand(command, context)
  eraseCommand(command, context)
}

function exportCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('export')
    .description('print every order and application of an e-mail address, as JSON')
    .requiredOption('--email <address>', 'the address, in whatever case of its letters', address)
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(({ email }: { email: string }) =>
      inStore(settings().databaseUrl, async ({ db }) => {
        const { orders, applications } = await find(db, email)
        const { toShown } = await import('../applications/store.ts')
        await print(stdout, JSON.stringify({ orders, applications: applications.map(toShown) }, null, 2))
        if (orders.length + applications.length === 0) note(stderr, NOTHING)
      }),
    )
}

function eraseCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('erase')
    .description('erase that at once, from the files too; what is open of the applications is withdrawn')
    .requiredOption('--email <address>', 'the address, in whatever case of its letters', address)
    .addHelpText('after', '\nOrders that are open have to be completed or cancelled first.')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(async ({ email }: { email: string }) => {
      const { databaseUrl } = settings()
      await inStore(databaseUrl, async (store) => {
        const person = await find(store.db, email)
        const { orders, applications } = person
        if (orders.length + applications.length === 0) return note(stderr, NOTHING)
        refuseOpen(person)
        await erase(store, person)
        const erased = `erased ${counted(orders, 'order')} and ${counted(applications, 'application')}`
        await leaveNoByte(store, databaseUrl).catch((cause: Error) => {
          throw new Error(`${erased}, but the files may still hold bytes of it: ${cause.message}`, { cause })
        })
        await print(stdout, `${erased}; no byte of it is left in the store`)
      })
    })
}

const NOTHING = 'no order or application that is stored has this address'

const counted = (what: unknown[], name: string): string =>
  `${whole(what.length)} ${name}${what.length === 1 ? '' : 's'}`

function address(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new InvalidArgumentError('It must be an e-mail address.')
  return text
}

type Store = Writer & { db: Db }

async function inStore(databaseUrl: string, work: (store: Store) => Promise<void>): Promise<void> {
  await requireStore(databaseUrl)
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  const store = await openForCommand(databaseUrl, changes)
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

async function find(db: Db, email: string): Promise<Person> {
  return (await import('../applications/people.ts')).findPerson(db, email)
}

/** Without its adopter nobody could go on with an order that holds an animal. */
function refuseOpen({ orders }: Person): void {
  const open = orders.filter(({ status }) => status === 'placed' || status === 'approved')
  if (open.length === 0) return
  const ids = open.map(({ id }) => id).join(', ')
  throw new Error(
    `nothing was erased: complete or cancel what is open first (${open.length === 1 ? 'order' : 'orders'} ${ids})`,
  )
}

/** So many are erased in one transaction, which other changes wait for. */
const MAX_ERASED = 500

async function erase({ write }: Store, { orders, applications }: Person): Promise<void> {
  const most = Math.max(orders.length, applications.length)
  for (let from = 0; from < most; from += MAX_ERASED) {
    const some = (all: { id: number }[]) => all.slice(from, from + MAX_ERASED).map(({ id }) => id)
    const traces = { orders: some(orders), applications: some(applications) }
    await write(changes.erasePerson, traces, Date.now())
  }
}

const WAIT_MS = 500
const MAX_WAITS = 240

/** @throws when the files could not be written anew in two minutes */
async function leaveNoByte({ db, write }: Store, databaseUrl: string): Promise<void> {
  const { countUnscrubbed } = await import('../orders/adopters.ts')
  const { scrubStore } = await import('../db/open-database.ts')
  let reason = 'the service that runs has not written them anew yet; it goes on with it'
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const due = await countUnscrubbed(db)
    try {
      if (await scrubStore(databaseUrl)) return await write(changes.scrubbed, due)
      if (due === 0) return
    } catch (error) {
      reason = `${(error as Error).message}; the service tries again with its next round`
    }
    await setTimeout(WAIT_MS)
  }
  throw new Error(reason)
}
