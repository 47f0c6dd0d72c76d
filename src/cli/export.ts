import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import { extname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Command, Option } from 'commander'
import { ConfigError } from '../config.ts'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { requireStore } from './store-file.ts'
import { note, type Output, whole } from './terminal.ts'

export type TextFormat = 'ndjson' | 'csv'

/** Every animal as a line of a file, or of the output. */
export function exportCommand(program: Command, { settings, stdout, stderr }: CommandContext): void {
  program
    .command('export')
    .description('write every animal, with the name of its category; the service may run meanwhile')
    .argument('[file]', 'the file to make; it must not exist yet. Without one, or with -, to the output', '-')
    .addOption(
      new Option('--format <format>', 'by default what the name of the file ends in, or ndjson').choices([
        'ndjson',
        'csv',
      ]),
    )
    .option('--organization <code>', 'only the animals of this organization')
    .addHelpText(
      'after',
      '\nThe ids in it are those of this store; `adoptable import` does not take them back into it.',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'BASE_URL', 'PHOTOS_PUBLIC_URL'))
    .action(
      async (file: string, { format, organization }: { format?: TextFormat; organization?: string }) => {
        const { databaseUrl, photosPublicUrl, origin } = settings()
        const wanted = format ?? formatOf(file)
        await requireStore(databaseUrl)
        const { openForCommand } = await import('../db/open-database.ts')
        const { exportAnimals } = await import('../transfer/export.ts')
        const { PHOTOS_PATH } = await import('../photos/storage/kept.ts')
        const photosAt = photosPublicUrl ?? origin + PHOTOS_PATH
        const store = await openForCommand(databaseUrl)
        try {
          let count = 0
          const text = exportAnimals(store.db, wanted, { organization, photosAt }, (animals) => {
            count += animals
          })
          const to = file === '-' ? '' : ` to ${file}`
          // On stderr, as stdout may be the animals.
          if (await writeText(file, stdout, text)) note(stderr, `exported ${whole(count)} animals${to}`)
        } finally {
          await store.close()
        }
      },
    )
}

const FORMAT_OF: Record<string, TextFormat> = {
  '': 'ndjson',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
}

/** @throws {ConfigError} */
function formatOf(file: string): TextFormat {
  const ending = extname(file).toLowerCase()
  const format = FORMAT_OF[ending]
  if (!format)
    throw new ConfigError(`${ending} is no format of export: end in .ndjson or .csv, or set --format`)
  return format
}

/**
 * Under its name a file is there whole or not at all; - is the output.
 *
 * @returns whether all was taken
 */
export async function writeText(
  file: string,
  stdout: Output,
  text: Iterable<string> | AsyncIterable<string>,
): Promise<boolean> {
  const source = Readable.from(text)
  if (file === '-') return pipeline(source, stdout, { end: false }).then(() => true, unlessClosed)
  if (existsSync(file)) throw new Error(`${file} exists already, and is not overwritten`)
  const part = `${file}.${process.pid}.part`
  try {
    await pipeline(source, createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
    renameSync(part, file)
    return true
  } catch (error) {
    rmSync(part, { force: true })
    throw error
  }
}

/** A reader such as head has what it wanted. */
function unlessClosed(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'EPIPE') throw error
  return false
}
