import { styleText } from 'node:util'
import type { Command } from 'commander'
import type { CommandContext } from './command-context.ts'
import type { Finding } from './finding.ts'
import { ALL_SETTINGS, settingsHelp } from './settings.ts'
import { alignedLines, type Output, print } from './terminal.ts'

/** Looks at everything the service stands on, and leaves it as it was. */
export function doctorCommand(program: Command, { settings, stdout }: CommandContext): void {
  program
    .command('doctor')
    .description('check settings, store, servers and machine, and say what to do; it changes nothing')
    .option('--json', 'as JSON')
    .addHelpText('after', settingsHelp(...ALL_SETTINGS))
    .action(async ({ json }: { json?: true }) => {
      const { examine } = await import('./examine.ts')
      const findings = await examine(settings)
      await print(stdout, json ? JSON.stringify(findings, null, 2) : linesOf(findings, stdout).join('\n'))
      const failed = findings.filter(({ state }) => state === 'wrong').length
      if (failed > 0) throw new Error(`checks that failed: ${failed}`)
    })
}

const MARKS = {
  good: ['✔', 'green'],
  doubtful: ['!', 'yellow'],
  wrong: ['✖', 'red'],
} as const

function linesOf(findings: Finding[], stdout: Output): string[] {
  const lines = alignedLines(findings.map(({ check, found }) => [check, found]))
  return findings.flatMap(({ state, advice }, index) => {
    const [mark, colour] = MARKS[state]
    // Colours only where a person looks, and wants them (NO_COLOR).
    const line = `${styleText(colour, mark, { stream: stdout })} ${lines[index]}`
    return advice === undefined ? [line] : [line, `  → ${advice}`]
  })
}
