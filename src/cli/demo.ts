import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { changes } from '../db/change.ts'
import { type CommandContext, type CommandStore, settingsHelp, withStore } from './command.ts'
import { print } from './terminal.ts'

/** Adds or removes a made-up shelter with animals and drawn photos. */
export function demoCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('demo')
    .description('add a made-up shelter for trying things out; the service may keep running')
    .option('--remove', 'remove the demo with everything that visitors added')
    .option(
      '--force',
      'with --remove: remove the demo even if a shelter uses it, with all data of that shelter',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(async ({ remove, force }: { remove?: true; force?: true }) => {
      const config = settings()
      const done = await withStore(config.databaseUrl, (store) =>
        remove ? removeAll(store, force) : fill(store, config),
      )
      await print(stdout, done)
    })
}

async function fill(store: CommandStore, config: Config): Promise<string> {
  const { fillDemo } = await import('../demo/fill.ts')
  const { openPhotos } = await import('../photos/storage/open.ts')
  const files = await openPhotos(config)
  try {
    const filled = await fillDemo(store, files, Date.now)
    if (!filled) return 'the demo already exists; `adoptable demo --remove` removes it'
    const { animals, applications } = filled
    return `added a made-up shelter with ${animals} animals and ${applications} applications; see ${config.origin}/animals while the service is running`
  } finally {
    await files.close()
  }
}

async function removeAll({ write }: CommandStore, force = false): Promise<string> {
  const remove = () => write(changes.removeDemo, force, Date.now())
  // On PostgreSQL, others may add data during the removal, which then removes nothing. The second attempt
  // finds this data.
  await remove().catch(remove)
  return 'removed the demo'
}
