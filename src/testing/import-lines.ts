import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { importAnimals, type Options } from '../transfer/import.ts'
import { ownMapping } from '../transfer/mappings/own.ts'
import type { Refusal } from '../transfer/report.ts'
import { cleanup } from './cleanup.ts'

export async function openStore(t: TestContext, url: string) {
  const store = await openForCommand(url, changes)
  cleanup(t).defer(() => store.close())
  return store
}

export type Store = Awaited<ReturnType<typeof openForCommand>>

/** Imports a text that arrives in chunks of 1,000 bytes. */
export async function importText(store: Store, file: string | Buffer, overrides: Partial<Options> = {}) {
  const bytes = Buffer.from(file)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, i) =>
    bytes.subarray(i * 1_000, (i + 1) * 1_000),
  )
  const refused: Refusal[] = []
  const done = await importAnimals(
    store,
    { bytes: () => Readable.from(pieces) },
    {
      format: 'ndjson',
      mapping: ownMapping,
      source: 'test',
      idColumn: undefined,
      update: false,
      keyId: null,
      category: undefined,
      dryRun: false,
      mayHaveOwnIds: false,
      clock: () => 1_000,
      onRefused: (refusal) => refused.push(refusal),
      onBatch: () => undefined,
      ...overrides,
    },
  )
  return { ...done, refusals: refused, reasons: refused.map(({ line, reason }) => `${line}: ${reason}`) }
}

/** Import options that update animals by their id. */
export const BY_ID = { idColumn: 'id', update: true, keyId: 1 }
export const lines = (...animals: object[]): string =>
  animals.map((animal) => JSON.stringify(animal)).join('\n')
