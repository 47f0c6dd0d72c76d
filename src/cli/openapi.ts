import type { Command } from 'commander'
import type { Context } from '../context.ts'
import { type CommandContext, settingsHelp } from './command.ts'
import { print } from './terminal.ts'

export function openapiCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('openapi')
    .description('print the OpenAPI description')
    .addHelpText(
      'after',
      settingsHelp('BASE_URL', 'STAGING_BASE_URL', 'ADOPTABLE_ENVIRONMENT', 'HOST', 'PORT'),
    )
    .action(async () => {
      // No handler runs here, so the settings are enough.
      const context = { config: settings() } as Context
      const { default: pino } = await import('pino')
      const { buildServer } = await import('../server.ts')
      const app = await buildServer(context, pino({ level: 'silent' }))
      await app.ready()
      await print(stdout, JSON.stringify(await app.describe(), null, 2))
    })
}
