import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { PetStatus } from '../pets/fields.ts'
import { AMERICAN, FORMATS } from '../transfer/animal.ts'
import type { Options } from '../transfer/import.ts'
import { MAPPINGS } from '../transfer/mappings.ts'
import { EndedEarly, linesIn, type Summary } from '../transfer/summary.ts'
import type { CommandContext } from './command-context.ts'
import { openInput } from './import-input.ts'
import {
  currency,
  fetchingOf,
  formatOf,
  type Given,
  key,
  optionsOf,
  source,
  type Wanted,
} from './import-options.ts'
import { lackingText, leftOutText, openProgress, openRejects, summaryText } from './import-report.ts'
import { time } from './keys-options.ts'
import { settingsHelp } from './settings.ts'
import { requireStore, requireStoreOr } from './store-file.ts'
import { print, type Streams, whole } from './terminal.ts'
import { watch } from './watch.ts'

const STATUSES: PetStatus[] = ['available', 'pending', 'sold']

/** Brings the animals of a file into the store, line by line, beside a service or without one. */
export function importCommand(program: Command, context: CommandContext): void {
  program
    .command('import')
    .description('add the animals of a file to the store; the service may run meanwhile')
    .argument('<file>', 'the file to read, or - for the input')
    .addOption(
      new Option('--format <format>', 'by default what the name of the file ends in').choices(FORMATS),
    )
    .addOption(new Option('--from <program>', 'the program whose file it is').choices(Object.keys(MAPPINGS)))
    .option('--category <name>', 'category of the animals whose own one is not known')
    .option('--organization <code>', 'organization of the animals that name none')
    .option('--currency <code>', 'of fees in files of other programs', currency, AMERICAN.currency)
    .option('--day-first', 'read 03/04/2020 in such files as in April; else as in March')
    .option('--pounds', 'read weights without a unit in such files as pounds; else as kilograms')
    .option('--update <column>', 'change the animals that came before with the same id in this column')
    .option(
      '--source <name>',
      'whose ids those are; by default the name of the program or of the file',
      source,
    )
    .option('--photos', 'fetch the photos of the animals too, from the https addresses in the file')
    .option('--photos-private', 'also over http, and from addresses of this machine and its network')
    .option('--key <id>', 'number of the key that is named as the one who did it', key)
    .option('--again', 'add the animals of a file that was imported before once more')
    .option('--watch', 'keep the store in step with a file, a folder or an address, until this is ended')
    .addOption(
      new Option('--every <time>', 'how often --watch looks, such as 30s, 5m or 1h')
        .argParser(time)
        .default(time('5m'), '5m'),
    )
    .addOption(
      new Option('--removed <status>', 'status of animals that --watch finds no more').choices(STATUSES),
    )
    .option('--init', 'make a new store where there is none')
    .option('--dry-run', 'only tell what would be done')
    .option('--rejects <file>', 'write every refused line there, with its number and reason')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL', 'PHOTOS_PUBLIC_URL'))
    .action((file: string, given: Given) => importFile(file, given, context))
}

async function importFile(file: string, given: Given, context: CommandContext): Promise<void> {
  const config = context.settings()
  const wanted = await optionsOf(file, given)
  const { databaseUrl } = config
  const options = { ...wanted, photos: await fetchingOf(config, given) }
  const rejects = openRejects(context.stderr, given.rejects)
  const close = async () => {
    rejects.close()
    await options.photos?.files.close()
  }
  if (given.watch) {
    const { format, ...others } = options
    const formatOfName = (name: string) => given.format ?? formatOf(name) ?? format
    const watched = { place: file, every: given.every, formatOf: formatOfName, options: others }
    await requireStore(databaseUrl)
    return watch(databaseUrl, { ...watched, onRefused: rejects.add }, context).finally(close)
  }
  const startedAt = performance.now()
  const { done, ended } = await run(file, context, {
    databaseUrl,
    ...options,
    init: given.init,
    onRefused: rejects.add,
  })
    .then((summary) => ({ done: summary, ended: undefined }), whatWasDone)
    .finally(close)
  const seconds = (performance.now() - startedAt) / 1_000
  await tell(context, done, { ended, seconds, json: given.json, options })
}

interface Ended {
  ended: EndedEarly | undefined
  seconds: number
  json: true | undefined
  options: Wanted
}

/** @throws when the import ended early, or something did not go in: the exit code tells too */
async function tell(
  { stdout, stderr }: Streams,
  done: Summary,
  { ended, seconds, json, options }: Ended,
): Promise<void> {
  const { dryRun } = options
  const text = (ended ? 'ended early: ' : '') + summaryText(done, seconds, dryRun)
  const leftOut = leftOutText(done)
  if (leftOut !== undefined && !json) stderr.write(`${leftOut}\n`)
  await print(stdout, json ? JSON.stringify({ ...done, dryRun, complete: !ended, seconds }) : text)
  if (ended) throw new Error(`${ended.message}; ${restOf(done, options)}`)
  const lacking = lackingText(done, options.idColumn !== undefined)
  if (lacking !== undefined) throw new Error(lacking)
}

/** @throws when nothing was done */
function whatWasDone(error: unknown): { done: Summary; ended: EndedEarly } {
  if (!(error instanceof EndedEarly)) throw error
  return { done: error.done, ended: error }
}

/** What somebody has to know who mends the file and runs the import again. */
function restOf(done: Summary, { dryRun, idColumn }: Wanted): string {
  const where = `the import ended early, after ${whole(linesIn(done))} lines`
  const doubles = done.added > 0 && !dryRun && idColumn === undefined
  return doubles ? `${where}: a second run adds those again` : where
}

async function run(
  file: string,
  streams: Streams,
  {
    databaseUrl,
    init,
    ...options
  }: Omit<Options, 'onBatch'> & { databaseUrl: string; init: true | undefined },
): Promise<Summary> {
  const { importAnimals } = await import('../transfer/import.ts')
  const { openForTrial, openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  // Before the store, which would be made if there were none.
  await using input = await openInput(file, streams)
  const progress = openProgress(streams.stderr, input.size)
  const made = options.dryRun ? undefined : await requireStoreOr(init, databaseUrl)
  const store = await (options.dryRun ? openForTrial : openForCommand)(databaseUrl, changes)
  if (made !== undefined) streams.stderr.write(`made the store ${resolve(made)}\n`)
  try {
    return await importAnimals(store, input.bytes(), {
      ...options,
      fingerprint: await input.fingerprint(),
      onRefused(refusal) {
        progress.clear()
        options.onRefused(refusal)
      },
      onBatch: (done) => progress.show(done, input.read()),
    })
  } finally {
    progress.clear()
    await store.close()
  }
}
