import { type Command, InvalidArgumentError } from 'commander'
import { sampleAnimals } from '../transfer/sample.ts'
import type { CommandContext } from './command-context.ts'
import { writeText } from './export.ts'

/** Animals to try the service with. */
export function sampleCommand(program: Command, { stdout }: CommandContext): void {
  program
    .command('sample')
    .description('print the animals of a shelter that does not exist, for `adoptable import -`')
    .option('--animals <count>', 'how many', count, 10_000)
    .action(async ({ animals }: { animals: number }) => {
      await writeText('-', stdout, sampleAnimals(animals))
    })
}

function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.')
  return Number(text)
}
