import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import { settingsHelp } from './settings.ts'
import { requireStore } from './store-file.ts'
import { print } from './terminal.ts'

/** Where the counters of the limits are shared; a store remembers it, so that no process counts elsewhere. */
export function countersCommand(program: Command, { settings, stdout }: CommandContext): void {
  const command = program
    .command('counters')
    .description('where the counters of the limits are: in a Redis, or in the process')
    .action(() => command.error('error: counters needs its command: move'))
  command
    .command('move')
    .description(
      'count anew in the Redis that REDIS_URL names, or without one; no service may run on the store',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'REDIS_URL'))
    .action(async () => {
      const { databaseUrl, redisUrl } = settings()
      await requireStore(databaseUrl)
      const { counterStoreOf } = await import('../limits/counter-store.ts')
      const counterStore = redisUrl ? counterStoreOf(redisUrl, databaseUrl) : null
      const { moveCounters } = await import('../limits/move-counters.ts')
      await moveCounters(databaseUrl, counterStore)
      const where = counterStore === null ? 'in the process' : `in the Redis at ${counterStore}`
      await print(stdout, `the counters are ${where} from now on, and begin anew`)
    })
}
