import closeWithGrace from 'close-with-grace'
import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { start } from '../start.ts'

export function serveCommand(program: Command, settings: () => Config): void {
  program
    .command('serve')
    .description('run the service')
    .action(async () => {
      const config = settings()
      // The log goes to stderr and what a person needs to stdout, so that a key never is in the log.
      const log = process.stderr.isTTY
        ? { log: (await import('pino-pretty')).default({ destination: 2 }) }
        : {}
      const service = await start(config, log)
      closeWithGrace({ delay: config.stopTimeoutSeconds * 1_000, logger: false }, async ({ err }) => {
        if (err) service.app.log.fatal({ err }, 'stopping after an error that nobody caught')
        await service.stop()
      })
      greet(service.address, service.firstKey)
    })
}

/** In one piece, so that whoever waits for the address has the key too. */
function greet(address: string, firstKey: string | undefined): void {
  const lines = [`adoptable serves ${address}/v1, its reference is at ${address}/docs`]
  if (firstKey !== undefined) {
    lines.push('', 'This is the admin key of the new store. It is shown this once:', '', `  ${firstKey}`, '')
    lines.push('Try it:', '', `  curl -H 'Authorization: Bearer ${firstKey}' ${address}/v1/pets`, '')
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
