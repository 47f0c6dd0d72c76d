import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { changes } from '../db/change.ts'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { requireStoreOr } from './store-file.ts'
import { print } from './terminal.ts'

/** Something to look at: a shelter that does not exist, with animals and drawn photos. */
export function demoCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('demo')
    .description('add a made-up shelter to look around in; the service may run meanwhile')
    .option('--remove', 'remove it, with everything that was added to it')
    .addHelpText('after', settingsHelp('DATABASE_URL', 'PHOTOS_URL'))
    .action(async ({ remove }: { remove?: true }) => {
      const config = settings()
      await print(stdout, await (remove ? removeAll(config) : fill(config)))
    })
}

async function openStore({ databaseUrl }: Config) {
  await requireStoreOr(true, databaseUrl)
  const { openForCommand } = await import('../db/open-database.ts')
  const { changes } = await import('../changes.ts')
  return openForCommand(databaseUrl, changes)
}

async function fill(config: Config): Promise<string> {
  const { fillDemo } = await import('../demo/fill.ts')
  const { openPhotos } = await import('../photos/storage/open.ts')
  const store = await openStore(config)
  try {
    const files = await openPhotos(config)
    try {
      const filled = await fillDemo(store, files, Date.now)
      if (!filled) return 'the demo is there already; `adoptable demo --remove` takes it away'
      const { animals, applications } = filled
      return `added a made-up shelter with ${animals} animals and ${applications} applications: they are at ${config.origin}/animals while the service runs`
    } finally {
      await files.close()
    }
  } finally {
    await store.close()
  }
}

async function removeAll(config: Config): Promise<string> {
  const store = await openStore(config)
  try {
    while (await store.write(changes.removeDemo, Date.now()));
    return 'the demo is gone'
  } finally {
    await store.close()
  }
}
