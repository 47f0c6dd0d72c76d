import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { requireStore } from './store-file.ts'
import { print, whole } from './terminal.ts'

/** For stores that are older than the lists, or whose operator wants names back. */
export function breedsCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('breeds')
    .description('add the names of breeds and colors that a new store has, where they are missing')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(async () => {
      const { databaseUrl } = settings()
      await requireStore(databaseUrl)
      const { openForCommand } = await import('../db/open-database.ts')
      const { changes } = await import('../changes.ts')
      const store = await openForCommand(databaseUrl, changes)
      try {
        const { breed, color } = await store.write(changes.fillVocabulary)
        await print(stdout, `added ${whole(breed)} names of breeds and ${whole(color)} of colors`)
      } finally {
        await store.close()
      }
    })
}
