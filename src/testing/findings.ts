import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { examine } from '../cli/examine.ts'
import type { Finding } from '../cli/finding.ts'
import { readConfig } from '../config.ts'
import { makeKey, scratchFolder } from './start-app.ts'

// Helpers for tests of `adoptable doctor`.

/** Creates a store that no service uses. */
export async function createStore(t: TestContext): Promise<{ file: string; url: string }> {
  const file = join(scratchFolder(t), 'data', 'test.db')
  await makeKey(`sqlite:${file}`)
  return { file, url: `sqlite:${file}` }
}

export function runDoctor(settings: Record<string, string>): Promise<Finding[]> {
  return examine(() => readConfig({ PORT: '0', ...settings }))
}

/** Runs doctor. @returns the failed checks as `check: problem` */
export async function listProblems(settings: Record<string, string>): Promise<string[]> {
  const findings = await runDoctor(settings)
  for (const { state, advice } of findings) assert.equal(state === 'good', advice === undefined)
  return findings.filter(({ state }) => state === 'wrong').map(({ check, found }) => `${check}: ${found}`)
}
