import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import type { PersonRecords } from '../applications/people.ts'
import type { Config } from '../config.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { type CommandContext, type CommandStore, commandGroup, inStore, settingsHelp } from './command.ts'
import { formatCount, note, print } from './terminal.ts'

/** The subcommands that show or erase the personal data of a person (GDPR, articles 15 and 17). */
export function peopleCommand(program: Command, context: CommandContext): void {
  const what = 'export or erase the personal data of an adopter, an applicant or the contact of an animal'
  const command = commandGroup(program, 'people', what)
  exportCommand(command, context)
  eraseCommand(command, context)
}

function exportCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('export')
    .description('print all orders, applications and animals with this e-mail address as JSON')
    .requiredOption('--email <address>', 'the address, in upper or lower case', parseAddress)
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(({ email }: { email: string }) => {
      const config = settings()
      return inStore(config.databaseUrl, async ({ db }) => {
        const person = await find(db, email)
        const { toApplication } = await import('../applications/store.ts')
        const { orders, applications, animals } = person
        const data = { orders, applications: applications.map(toApplication), animals }
        await print(stdout, JSON.stringify(data, null, 2))
        if (isUnknown(person)) note(stderr, NOT_FOUND)
        await noteOthers(db, email, stderr)
        await noteUploads(config, email, stderr)
      })
    })
}

function eraseCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('erase')
    .description(
      'erase all data with this e-mail address immediately, also from the files of the store, and withdraw open applications',
    )
    .requiredOption('--email <address>', 'the address, in upper or lower case', parseAddress)
    .addHelpText('after', '\nComplete or cancel open orders first.')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(async ({ email }: { email: string }) => {
      const config = settings()
      const { databaseUrl } = config
      await inStore(databaseUrl, async (store) => {
        const person = await find(store.db, email)
        await noteOthers(store.db, email, stderr)
        refuseOpen(person)
        await removeUploads(config, stderr)
        if (isUnknown(person)) return note(stderr, NOT_FOUND)
        await erase(store, email, person)
        const erased = formatReport(person)
        await rewriteFiles(store, databaseUrl).catch((cause: Error) => {
          throw new Error(
            `${erased}, but the files of the store may still contain some of it: ${cause.message}`,
            { cause },
          )
        })
        await print(stdout, `${erased}; no trace is left in the store`)
      })
    })
}

const NOT_FOUND = 'no order, application or animal has this address'

function isUnknown({ orders, applications, animals, mentioning }: PersonRecords): boolean {
  return [orders, applications, animals, ...Object.values(mentioning)].every(({ length }) => length === 0)
}

function formatReport({ orders, applications, animals, mentioning }: PersonRecords): string {
  const erased = `erased ${formatNumber(orders, 'order')} and ${formatNumber(applications, 'application')}`
  const history = animals.flatMap(({ history }) => history)
  const others = Object.values(mentioning).flat()
  if (animals.length + others.length === 0) return erased
  const held = [
    formatNumber(animals, 'animal'),
    formatNumber(history, 'change in a history', 'changes in histories'),
    formatNumber(others, 'other text'),
  ]
  return `${erased}, and all mentions in ${held[0]}, ${held[1]} and ${held[2]}`
}

/** Prints the addresses of organizations and staff accounts, which this command does not erase. */
async function noteOthers(db: Db, email: string, stderr: CommandContext['stderr']): Promise<void> {
  const { isSameEmail, createEmailMatcher } = await import('../http/text.ts')
  const { list } = await import('../staff/store.ts')
  if ((await list(db)).some((account) => isSameEmail(account.email, email)))
    note(stderr, 'a staff account has this address; remove it with `adoptable staff remove`')
  const { createOrganizationCache } = await import('../organizations/list.ts')
  const matcher = createEmailMatcher(email)
  for (const organization of await createOrganizationCache(db, () => 0)())
    if (matcher.occursIn(organization))
      note(stderr, `organization ${organization.code} shows this address; change it in the console`)
}

/** Lists the files that staff uploaded in the console and did not confirm. */
async function listUploads(config: Config): Promise<string[]> {
  const { folderOf, openPhotoStore } = await import('../photos/storage/open.ts')
  const uploads = await import('../faces/web/console/import/uploads.ts')
  const folder = folderOf(config)
  // Opening a missing folder would create it, owned by the user of this command instead of the service.
  const workFolder =
    folder === undefined ? (await openPhotoStore(config)).workFolder : join(folder, 'incoming')
  return uploads.listUploads(workFolder)
}

async function noteUploads(config: Config, email: string, stderr: CommandContext['stderr']): Promise<void> {
  const { createEmailMatcher } = await import('../http/text.ts')
  const matcher = createEmailMatcher(email)
  for (const file of await listUploads(config))
    if (matcher.occursIn(await readFile(file, 'utf8').catch(() => '')))
      note(
        stderr,
        `${file} contains this address (an import not yet confirmed in the console); \`adoptable people erase\` removes it`,
      )
}

/** Removes all files, because a file may name a person without the address. */
async function removeUploads(config: Config, stderr: CommandContext['stderr']): Promise<void> {
  const files = await listUploads(config)
  for (const file of files) await rm(file, { force: true })
  if (files.length > 0)
    note(stderr, `removed ${formatNumber(files, 'file')} whose import was not confirmed in the console`)
}

const formatNumber = (what: unknown[], one: string, many = `${one}s`): string =>
  `${formatCount(what.length)} ${what.length === 1 ? one : many}`

function parseAddress(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new InvalidArgumentError('It must be an e-mail address.')
  return text
}

async function find(db: Db, email: string): Promise<PersonRecords> {
  return (await import('../applications/people.ts')).findPerson(db, email)
}

/** Refuses to erase a person with an open order, because the order needs its adopter. */
function refuseOpen({ orders }: PersonRecords): void {
  const open = orders.filter(({ status }) => status === 'placed' || status === 'approved')
  if (open.length === 0) return
  const ids = open.map(({ id }) => id).join(', ')
  throw new Error(
    `nothing was erased: complete or cancel open orders first (${open.length === 1 ? 'order' : 'orders'} ${ids})`,
  )
}

/** Erases up to this many records per transaction, because other changes wait for each transaction. */
const MAX_ERASED = 500

async function erase({ write }: CommandStore, email: string, person: PersonRecords): Promise<void> {
  const { mentioning } = person
  const idsOf = (all: { id: number }[]) => all.map(({ id }) => id)
  const [orders, applications] = [idsOf(person.orders), idsOf(person.applications)]
  const petIds = person.animals.map(({ petId }) => petId)
  const all = [orders, applications, petIds, ...Object.values(mentioning)]
  const most = Math.max(...all.map(({ length }) => length))
  for (let from = 0; from < most; from += MAX_ERASED) {
    const some = <One>(all: One[]) => all.slice(from, from + MAX_ERASED)
    const traces = {
      ...{ email, petIds, orders: some(orders), applications: some(applications), animals: some(petIds) },
      mentioning: {
        orders: some(mentioning.orders),
        applications: some(mentioning.applications),
        results: some(mentioning.results),
      },
    }
    await write(changes.erasePerson, traces, Date.now())
  }
}

const WAIT_MS = 500
const MAX_WAITS = 240

/** @throws if the files could not be rewritten within two minutes */
async function rewriteFiles({ db, write }: CommandStore, databaseUrl: string): Promise<void> {
  const { countUnscrubbed } = await import('../orders/adopters.ts')
  const { scrubStore } = await import('../db/open-database.ts')
  let reason = 'the running service has not rewritten them yet; it will continue'
  for (let waits = 0; waits < MAX_WAITS; waits += 1) {
    const due = await countUnscrubbed(db)
    try {
      if (await scrubStore(databaseUrl)) return await write(changes.markScrubbed, due)
      if (due === 0) return
    } catch (error) {
      reason = `${(error as Error).message}; the service will try again`
    }
    await setTimeout(WAIT_MS)
  }
  throw new Error(reason)
}
