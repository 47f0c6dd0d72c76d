import { readFileSync } from 'node:fs'

/** This release, as package.json has it: 1.0.0. */
export function release(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
