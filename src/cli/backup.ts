import { statSync } from 'node:fs'
import { type Command, InvalidArgumentError } from 'commander'
import type { Config } from '../config.ts'
import { ConfigError } from '../setting.ts'

/** An online copy of the embedded store: a store of its own, with what was committed when it began. */
export function backupCommand(program: Command, settings: () => Config): void {
  program
    .command('backup')
    .description('copy the SQLite store into a new file; the service may run meanwhile')
    .argument('<file>', 'the file to make; it must not exist yet', newFile)
    .action(async (file: string) => {
      const { databaseUrl } = settings()
      if (!databaseUrl.startsWith('sqlite:')) {
        throw new ConfigError(
          'DATABASE_URL names PostgreSQL: back that up with pg_dump, not with this command',
        )
      }
      const { backUp } = await import('../db/backup.ts')
      const pets = await backUp(databaseUrl, file)
      console.log(`${file}: ${statSync(file).size} bytes, animals: ${pets}`)
    })
}

function newFile(text: string): string {
  if (text === '' || /[/\\]$/.test(text)) throw new InvalidArgumentError('It must be the name of a file.')
  return text
}
