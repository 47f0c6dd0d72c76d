import { createWriteStream } from 'node:fs'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import { type CommandContext, inStore, settingsHelp } from './command.ts'
import { formatCount, note, type Output } from './terminal.ts'

export type TextFormat = 'ndjson' | 'csv'

interface ExportFlags {
  format?: TextFormat
  organization?: string
  bom?: true
}

/** Exports every animal as a line of a file or of stdout. */
export function exportCommand(program: Command, { settings, stdout, stderr }: CommandContext): void {
  program
    .command('export')
    .description('write all animals with the names of their categories; the service may keep running')
    .argument(
      '[file]',
      'the file to create; it must not exist yet. Without a file, or with -, write to stdout',
      '-',
    )
    .addOption(
      new Option('--format <format>', 'default: the ending of the file name, or ndjson').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--bom', 'begin a CSV with a byte order mark, so Excel reads its accents')
    .option('--organization <code>', 'export only the animals of this organization')
    .addHelpText(
      'after',
      '\nThe file has the ids of this store, so `adoptable import` refuses to import it into the same store.',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'PHOTOS_PUBLIC_URL'))
    .action(async (file: string, { format, organization, bom }: ExportFlags) => {
      const { databaseUrl, photosPublicUrl, origin } = settings()
      const fileFormat = format ?? detectFormat(file)
      const { exportAnimals } = await import('../transfer/export.ts')
      const { PHOTOS_PATH } = await import('../photos/storage/stored-photo.ts')
      const photosBase = photosPublicUrl ?? origin + PHOTOS_PATH
      await inStore(databaseUrl, async ({ db }) => {
        let count = 0
        const text = exportAnimals(db, fileFormat, { organization, photosBase, bom }, (animals) => {
          count += animals
        })
        const to = file === '-' ? '' : ` to ${file}`
        // Prints to stderr, because stdout may contain the animals.
        if (await writeText(file, stdout, text)) note(stderr, `exported ${formatCount(count)} animals${to}`)
      })
    })
}

const FORMAT_OF: Record<string, TextFormat> = {
  '': 'ndjson',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
}

/** @throws {ConfigError} */
function detectFormat(file: string): TextFormat {
  const ending = extname(file).toLowerCase()
  const format = FORMAT_OF[ending]
  if (!format)
    throw new ConfigError(
      `${ending} is not an export format: use a name that ends in .ndjson or .csv, or set --format`,
    )
  return format
}

/** Writes a file atomically, or to stdout for `-`. @returns false if the reader of stdout closed it early */
export async function writeText(
  file: string,
  stdout: Output,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<boolean> {
  const source = Readable.from(text)
  if (file === '-') return pipeline(source, stdout, { end: false }).then(() => true, ignoreClosedPipe)
  const { writeAtomically } = await import('../db/backup.ts')
  await writeAtomically(file, (part) =>
    pipeline(source, createWriteStream(part, { flags: 'wx', mode: 0o600 })),
  )
  return true
}

/** Ignores a closed pipe, because a reader such as head stops early. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'EPIPE') throw error
  return false
}
