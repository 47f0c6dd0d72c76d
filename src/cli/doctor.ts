import { styleText } from 'node:util'
import type { Command } from 'commander'
import { ALL_SETTINGS, type CommandContext, settingsHelp } from './command.ts'
import type { Finding } from './finding.ts'
import { alignColumns, type Output, print } from './terminal.ts'

/** Checks everything that the service depends on, without changing it. */
export function doctorCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('doctor')
    .description('check settings, store, servers and machine and suggest fixes; nothing is changed')
    .option('--json', 'print JSON')
    .addHelpText('after', settingsHelp(...ALL_SETTINGS))
    .action(async ({ json }: { json?: true }) => {
      const { examine } = await import('./examine.ts')
      const findings = await examine(settings)
      await print(stdout, json ? JSON.stringify(findings, null, 2) : linesOf(findings, stdout).join('\n'))
      const failed = findings.filter(({ state }) => state === 'wrong').length
      if (failed > 0) throw new Error(`failed checks: ${failed}`)
    })
}

const MARKS = {
  good: ['✔', 'green'],
  doubtful: ['!', 'yellow'],
  wrong: ['✖', 'red'],
} as const

function linesOf(findings: Finding[], stdout: Output): string[] {
  const lines = alignColumns(findings.map(({ check, found }) => [check, found]))
  return findings.flatMap(({ state, advice }, index) => {
    const [mark, colour] = MARKS[state]
    // styleText uses colors only on a terminal and without NO_COLOR.
    const line = `${styleText(colour, mark, { stream: stdout })} ${lines[index]}`
    return advice === undefined ? [line] : [line, `  → ${advice}`]
  })
}
