import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'
import type { ArchiveCounts } from '../photos/archive.ts'
import { type CommandContext, settingsHelp } from './command.ts'
import { formatCount, note, type Output, print } from './terminal.ts'

/** Copies the SQLite store, with or without its photo files. The service may keep running. */
export function backupCommand(program: Command, { settings, stdout, stderr }: CommandContext): void {
  program
    .command('backup')
    .description('copy the SQLite store into a new file; the service may keep running')
    .argument(
      '<file>',
      'the file to create; it must not exist yet. A name that ends in .tar includes the photos',
      parseNewFile,
    )
    .option('--json', 'print the result as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(async (file: string, { json }: { json?: true }) => {
      const config = settings()
      if (isPostgres(config.databaseUrl)) throw new ConfigError(POSTGRES_ADVICE)
      const made = /\.tar$/i.test(file)
        ? await backUpWithPhotos(config, file)
        : await backUpStore(config, file, stderr)
      const bytes = statSync(file).size
      const counts = Object.entries(made).map(([what, count]) => `, ${what}: ${count}`)
      const line = `${file}: ${bytes} bytes${counts.join('')}`
      await print(stdout, json ? JSON.stringify({ file, bytes, ...made }, null, 2) : line)
      reportMissing(made, stderr)
    })
}

const POSTGRES_ADVICE =
  'DATABASE_URL names PostgreSQL: back up the database with pg_dump, and then the photos with `adoptable copy ' +
  '--photos-from … --photos-to …`'

/** @throws if all photo files are missing, because PHOTOS_URL is probably wrong */
function reportMissing({ photos = 0, missing = 0 }: Partial<ArchiveCounts>, stderr: Output): void {
  if (missing === 0) return
  const text = `The files of ${formatCount(missing)} photos are missing. Check PHOTOS_URL.`
  if (photos === 0) throw new Error(text)
  note(stderr, text)
}

async function backUpStore(
  { databaseUrl }: Config,
  file: string,
  stderr: Output,
): Promise<{ animals: number }> {
  const { backUp } = await import('../db/backup.ts')
  const { countPhotos } = await import('../photos/archive.ts')
  const animals = await backUp(databaseUrl, file)
  const photos = countPhotos(file)
  if (photos > 0)
    note(
      stderr,
      `the backup does not include the files of ${formatCount(photos)} photos: ${file}.tar would have them`,
    )
  return { animals }
}

async function backUpWithPhotos(config: Config, file: string): Promise<ArchiveCounts> {
  const { archive } = await import('../photos/archive.ts')
  const { openPhotoStore } = await import('../photos/storage/open.ts')
  return archive(config.databaseUrl, await openPhotoStore(config), file)
}

function parseNewFile(text: string): string {
  if (text === '' || /[/\\]$/.test(text)) throw new InvalidArgumentError('It must be a file name.')
  const compressed = /(?:\.tar\.\w+|\.tgz)$/i.exec(text)
  if (compressed) {
    const file = `${text.slice(0, compressed.index)}.tar`
    throw new InvalidArgumentError(`A backup is not compressed. Name it ${file} and compress it afterwards.`)
  }
  return text
}
