import { type Command, InvalidArgumentError } from 'commander'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { parseOutbound } from '../http/outbound.ts'
import { type CommandContext, commandGroup, getOrganizationId, inStore, settingsHelp } from './command.ts'
import { formatCount, formatList, note, print } from './terminal.ts'

/** The subcommands that add, list and remove followed installations. */
export function followCommand(program: Command, context: CommandContext): void {
  const command = commandGroup(program, 'follow', 'show the animals of other installations here too')
  for (const add of [addCommand, listCommand, removeCommand]) add(command, context)
}

function addCommand(command: Command, { settings, stdout }: CommandContext): void {
  command
    .command('add')
    .description(
      'copy the public animals of another installation, and keep the copies up to date; or replace the key',
    )
    .argument('<url>', 'its address, such as https://pets.example.org', parseAddress)
    .requiredOption('--key <key>', 'a key of that installation with read access', parseKey)
    .option(
      '--as <organization>',
      'code of the organization here that gets the copies (default: copies of the organizations there)',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'WEBHOOK_ALLOW_NETWORKS'))
    .action((url: string, { key: apiKey, as }: { key: string; as?: string }) => {
      const config = settings()
      parseOutbound(url, config.webhookAllowNetworks)
      if (url === config.origin) throw new Error(`${url} is this installation`)
      return inStore(config.databaseUrl, async ({ db, write }) => {
        const organizationId = await getOrganizationId(db, as)
        const existing = (await list(db)).find((source) => source.url === url)
        if (existing && as !== undefined) throw new Error(`${url} is followed already`)
        if (existing?.state === 'ending')
          throw new Error(`${url} is being removed; complete this with \`adoptable follow remove\` first`)
        if (existing) {
          await write(changes.replaceSourceKey, existing.id, apiKey)
          return print(stdout, `source ${existing.id} is now read with the new key`)
        }
        const id = await write(changes.insertSource, { url, apiKey, organizationId }, Date.now())
        await print(stdout, `following ${url} as source ${id}; the running service copies its animals`)
      })
    })
}

const COLUMNS = ['id', 'url', 'state', 'animals', 'lag', 'error']

function listCommand(command: Command, { settings, stdout, stderr }: CommandContext): void {
  command
    .command('list')
    .description('list the followed installations')
    .option('--json', 'print JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(({ json }: { json?: true }) =>
      inStore(settings().databaseUrl, async ({ db }) => {
        const sources = await list(db)
        const rows = sources.map(({ id, url, state, copies, lagSeconds, lastError = '' }) => {
          const lag = lagSeconds === undefined ? '' : `${lagSeconds} s`
          return [String(id), url, state, formatCount(copies), lag, lastError]
        })
        const table = () => formatList([COLUMNS, ...rows], stdout)
        await print(stdout, json ? JSON.stringify(sources, null, 2) : table())
        if (sources.length === 0) note(stderr, 'no installation is followed; `adoptable follow add` adds one')
      }),
    )
}

function removeCommand(command: Command, { settings, stdout }: CommandContext): void {
  command
    .command('remove')
    .description('stop following an installation, and remove the copies of its animals')
    .argument('<url>', 'its address', parseAddress)
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action((url: string) =>
      inStore(settings().databaseUrl, async ({ db, write }) => {
        const source = (await list(db)).find((one) => one.url === url)
        if (!source)
          throw new Error(`${url} is not followed; \`adoptable follow list\` lists the installations`)
        const { listOrganizationCopies } = await import('../follow/copies.ts')
        const removeSome = (id: number) => write(changes.removeCopies, id, Date.now())
        await write(changes.beginEnding, source.id)
        let removed = 0
        for (let some = await removeSome(source.id); some > 0; some = await removeSome(source.id))
          removed += some
        for (const id of await listOrganizationCopies(db, url))
          await write(changes.deleteOrganizationCopy, id, Date.now()).catch((error) => {
            if (!(error instanceof ApiError && error.code === 'organization_in_use')) throw error
            // Accounts or keys of this installation belong to the organization, so it stays.
            return write(changes.releaseOrganizationCopy, id, Date.now())
          })
        await write(changes.deleteSource, source.id)
        await print(stdout, `no longer following ${url}; removed ${formatCount(removed)} animals`)
      }),
    )
}

const list = async (db: Db) => (await import('../follow/store.ts')).listSources(db, Date.now())

/** @returns the address without a final slash or /v1 */
function parseAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new InvalidArgumentError(
      'It must be the address of an installation, such as https://pets.example.org.',
    )
  return (url.origin + url.pathname).replace(/(?:\/v1)?\/*$/, '')
}

function parseKey(text: string): string {
  if (!/^[\x21-\x7e]{1,200}$/.test(text)) throw new InvalidArgumentError('It must be an API key.')
  return text
}
