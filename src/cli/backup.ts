import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import { isPostgres } from '../db/store-url.ts'
import { ConfigError } from '../setting.ts'
import { type Settings, settingsHelp } from './settings.ts'
import { print } from './terminal.ts'

/** An online copy of the embedded store: a store of its own, with what was committed when it began. */
export function backupCommand(program: Command, settings: Settings): void {
  program
    .command('backup')
    .description('copy the SQLite store into a new file; the service may run meanwhile')
    .argument('<file>', 'the file to make; it must not exist yet', newFile)
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(async (file: string, { json }: { json?: true }) => {
      const { databaseUrl } = settings()
      if (isPostgres(databaseUrl)) {
        throw new ConfigError(
          'DATABASE_URL names PostgreSQL: back that up with pg_dump, not with this command',
        )
      }
      const { backUp } = await import('../db/backup.ts')
      const animals = await backUp(databaseUrl, file)
      const bytes = statSync(file).size
      const line = `${file}: ${bytes} bytes, animals: ${animals}`
      await print(json ? JSON.stringify({ file, bytes, animals }, null, 2) : line)
    })
}

function newFile(text: string): string {
  if (text === '' || /[/\\]$/.test(text)) throw new InvalidArgumentError('It must be the name of a file.')
  return text
}
