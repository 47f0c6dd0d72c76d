import type { Command } from 'commander'
import { type CommandContext, commandGroup, requireStore, settingsHelp } from './command.ts'
import { print } from './terminal.ts'

/** The store records where its rate limit counters are, so all processes use the same counters. */
export function countersCommand(program: Command, { settings, stdout }: CommandContext): void {
  commandGroup(program, 'counters', 'choose where rate limit counters are stored: in Redis or in the process')
    .command('move')
    .description(
      'start new counters in the Redis of REDIS_URL, or in the process if it is not set; stop the service first',
    )
    .addHelpText('after', settingsHelp('DATABASE_URL', 'REDIS_URL'))
    .action(async () => {
      const { databaseUrl, redisUrl } = settings()
      requireStore(databaseUrl)
      const { counterStoreOf } = await import('../limits/counter-store.ts')
      const counterStore = redisUrl ? counterStoreOf(redisUrl, databaseUrl) : null
      const { moveCounters } = await import('../limits/move-counters.ts')
      await moveCounters(databaseUrl, counterStore)
      const where = counterStore === null ? 'in the process' : `in the Redis at ${counterStore}`
      await print(stdout, `rate limit counters now start from zero ${where}`)
    })
}
