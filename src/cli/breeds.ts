import type { Command } from 'commander'
import { changes } from '../db/change.ts'
import { type CommandContext, inStore, settingsHelp } from './command.ts'
import { formatCount, print } from './terminal.ts'

/** Adds missing default names: to a store that is older than these lists, or after someone removed names. */
export function breedsCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('breeds')
    .description('add the default breeds and colors that are missing')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(() =>
      inStore(settings().databaseUrl, async ({ write }) => {
        const { breed, color } = await write(changes.fillVocabulary)
        await print(stdout, `added ${formatCount(breed)} breeds and ${formatCount(color)} colors`)
      }),
    )
}
