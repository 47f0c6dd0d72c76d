import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { requireStore } from './store-file.ts'
import { bar, drawnLine, type Output, print, whole } from './terminal.ts'

/** Makes the index of the search anew: it follows from the animals, so nothing is lost with it. */
export function reindexCommand(program: Command, { settings, stdout, stderr }: CommandContext): void {
  program
    .command('reindex')
    .description('make the index of the search anew; the service may run meanwhile, without its searches')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', settingsHelp('DATABASE_URL'))
    .action(async ({ json }: { json?: true }) => {
      const { databaseUrl } = settings()
      await requireStore(databaseUrl)
      const { openForCommand } = await import('../db/open-database.ts')
      const { changes } = await import('../changes.ts')
      const store = await openForCommand(databaseUrl, changes)
      try {
        const startedAt = performance.now()
        const animals = await reindex(store, stderr)
        const seconds = (performance.now() - startedAt) / 1_000
        const text = `the index of the search knows ${whole(animals)} animals (${seconds.toFixed(1)} s)`
        await print(stdout, json ? JSON.stringify({ animals, seconds }) : text)
      } finally {
        await store.close()
      }
    })
}

/** Somebody else, such as a job of the service, is at work on the index: each of its steps is short. */
const WAIT_MS = 50
const MOST_WAITS = 1_200

/** @returns how many animals there are */
async function reindex({ db, write }: Writer & { db: Db }, stderr: Output): Promise<number> {
  const { stateOf } = await import('../search/state.ts')
  const line = drawnLine(stderr)
  await inTurn(() => write('rebuildIndex'))
  try {
    await inTurn(async () => {
      // False also while another process does the next step, which is as good.
      while (await write('indexAnimals')) await show()
      await show()
      return isBuilt()
    })
  } finally {
    line.clear()
  }
  const { count } = await db
    .selectFrom('pet')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)

  async function isBuilt(): Promise<boolean> {
    const { backfillFrom, backfillTo } = await stateOf(db)
    return backfillFrom > backfillTo
  }
  async function show(): Promise<void> {
    const { backfillFrom, backfillTo } = await stateOf(db)
    const share = backfillTo === 0 ? 1 : (backfillFrom - 1) / backfillTo
    line.draw(() => `${bar(share)} ${Math.floor(share * 100)}% up to animal ${whole(backfillFrom - 1)}`)
  }
}

/** @throws when others keep at it for a minute */
async function inTurn(step: () => Promise<boolean>): Promise<void> {
  for (let waits = 0; !(await step()); waits += 1) {
    if (waits === MOST_WAITS)
      throw new Error('others are at work on the index of the search: try again later')
    await setTimeout(WAIT_MS)
  }
}
