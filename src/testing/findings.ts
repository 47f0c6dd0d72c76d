import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { examine } from '../cli/examine.ts'
import type { Finding } from '../cli/finding.ts'
import { readConfig } from '../config.ts'
import { makeKey, scratchFolder } from './start-app.ts'

// For tests of what doctor finds.

/** A store as a stopped service leaves it. */
export async function storeOf(t: TestContext): Promise<{ file: string; url: string }> {
  const file = join(scratchFolder(t), 'data', 'test.db')
  await makeKey(`sqlite:${file}`)
  return { file, url: `sqlite:${file}` }
}

export function look(settings: Record<string, string>): Promise<Finding[]> {
  return examine(() => readConfig({ PORT: '0', ...settings }))
}

export async function wrongOf(settings: Record<string, string>): Promise<string[]> {
  const findings = await look(settings)
  for (const { state, advice } of findings) assert.equal(state === 'good', advice === undefined)
  return findings.filter(({ state }) => state === 'wrong').map(({ check, found }) => `${check}: ${found}`)
}
