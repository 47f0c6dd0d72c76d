import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'
import { ConfigError } from '../config.ts'
import { isPostgres } from '../db/store-url.ts'
import type { Archived } from '../photos/archive.ts'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { note, type Output, print, whole } from './terminal.ts'

/** An online copy of the embedded store, as a store of its own or with the files of its photos. */
export function backupCommand(program: Command, { settings, stdout, stderr }: CommandContext): void {
  program
    .command('backup')
    .description('copy the SQLite store into a new file; the service may run meanwhile')
    .argument(
      '<file>',
      'the file to make; it must not exist yet. One that ends in .tar has the photos too',
      newFile,
    )
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(async (file: string, { json }: { json?: true }) => {
      const config = settings()
      if (isPostgres(config.databaseUrl)) throw new ConfigError(OF_POSTGRES)
      const made = /\.tar$/i.test(file)
        ? await withPhotos(config, file)
        : await storeAlone(config, file, stderr)
      const bytes = statSync(file).size
      const counts = Object.entries(made).map(([what, count]) => `, ${what}: ${count}`)
      const line = `${file}: ${bytes} bytes${counts.join('')}`
      await print(stdout, json ? JSON.stringify({ file, bytes, ...made }, null, 2) : line)
      tellOfMissing(made, stderr)
    })
}

const OF_POSTGRES =
  'DATABASE_URL names PostgreSQL: back that up with pg_dump, and then its photos with `adoptable copy ' +
  '--photos-from … --photos-to …`, not with this command'

/** @throws when there is no file of any photo: then it was looked for elsewhere than where they are */
function tellOfMissing({ photos = 0, missing = 0 }: Partial<Archived>, stderr: Output): void {
  if (missing === 0) return
  const text = `The files of ${whole(missing)} photos are missing. Check PHOTOS_URL.`
  if (photos === 0) throw new Error(text)
  note(stderr, text)
}

async function storeAlone(
  { databaseUrl }: Config,
  file: string,
  stderr: Output,
): Promise<{ animals: number }> {
  const { backUp } = await import('../db/backup.ts')
  const { countPhotos } = await import('../photos/archive.ts')
  const animals = await backUp(databaseUrl, file)
  const photos = countPhotos(file)
  if (photos > 0)
    note(stderr, `without the files of its ${whole(photos)} photos: ${file}.tar would have them`)
  return { animals }
}

async function withPhotos(config: Config, file: string): Promise<Archived> {
  const { archive } = await import('../photos/archive.ts')
  const { openPhotoStore } = await import('../photos/storage/open.ts')
  return archive(config.databaseUrl, await openPhotoStore(config), file)
}

function newFile(text: string): string {
  if (text === '' || /[/\\]$/.test(text)) throw new InvalidArgumentError('It must be the name of a file.')
  const compressed = /(?:\.tar\.\w+|\.tgz)$/i.exec(text)
  if (compressed) {
    const file = `${text.slice(0, compressed.index)}.tar`
    throw new InvalidArgumentError(`A backup is not compressed. Name it ${file}, and compress it afterwards.`)
  }
  return text
}
