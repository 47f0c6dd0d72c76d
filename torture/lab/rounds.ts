import { execFileSync } from 'node:child_process'
import type { TestContext } from 'node:test'
import { type Random, randomFrom } from './random.ts'

// The input of a run's tests, and their output. Both go through environment variables and diagnostics
// of node:test, so each test also runs alone: node --test torture/<folder>/<name>.test.ts

/** Prefix of a diagnostic that the summary shows as the test's figure. */
export const FIGURE = 'figure: '

/** Number of rounds: TORTURE_ROUNDS, or `usual` if that is not set. */
export function rounds(usual: number): number {
  return readInteger('TORTURE_ROUNDS') ?? usual
}

/** TORTURE_SEED, or a different random number in each process. */
export const seed: number = readInteger('TORTURE_SEED') ?? Math.floor(Math.random() * 1e6)

/** Choices that follow from the seed. Each test, engine or client passes its own `part` for others. */
export function randomOf(part = 0): Random {
  return randomFrom(seed * 1_000 + part)
}

/** Reports a test's result to the summary, such as "0 of 41,225 lost". */
export function reportFigure(t: TestContext, figure: string): void {
  t.diagnostic(FIGURE + figure)
}

/** Test options: skips the test, with a reason, if one of the programs is not installed. */
export function needs(...programs: string[]): { skip: string | false } {
  const missing = programs.filter((program) => !isInstalled(program))
  return { skip: missing.length > 0 && `not installed: ${missing.join(', ')}` }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function readInteger(name: string): number | undefined {
  const text = process.env[name]
  if (!text) return undefined
  const value = Number(text)
  if (!Number.isSafeInteger(value) || value < 0)
    throw new Error(`${name} must be a whole number, not ${text}`)
  return value
}
