import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { type Random, randomFrom } from './random.ts'

// What a run gives its tests, and what they give back to it. All goes through environment variables and the
// diagnostics of node:test, so that each test also runs alone: node --test torture/<folder>/<name>.test.ts

/** Begins the diagnostic that the summary shows as a test's figure. */
export const FIGURE = 'figure: '

/** How often: TORTURE_ROUNDS, or else `usual`. */
export function rounds(usual: number): number {
  return wholeOf('TORTURE_ROUNDS') ?? usual
}

/** TORTURE_SEED, or else another one in every process. */
export const seed: number = wholeOf('TORTURE_SEED') ?? Math.floor(Math.random() * 1e6)

/** Choices by the seed; `part` tells those of one test, engine or client from those of another. */
export function randomOf(part = 0): Random {
  return randomFrom(seed * 1_000 + part)
}

/** Tells the summary what was reached, such as "0 of 41,225 lost". */
export function reached(t: TestContext, figure: string): void {
  t.diagnostic(FIGURE + figure)
}

/** For the options of a test: where one of the programs is absent, it is skipped by name. */
export function needs(...programs: string[]): { skip: string | false } {
  const absent = programs.filter((program) => !isInstalled(program))
  return { skip: absent.length > 0 && `not installed: ${absent.join(', ')}` }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function wholeOf(name: string): number | undefined {
  const text = process.env[name]
  if (!text) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`${name} is a whole number, not ${text}`)
  return value
}
