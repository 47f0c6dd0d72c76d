import { Readable } from 'node:stream'
import type { TestContext } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import type { Refusal } from '../transfer/animal.ts'
import { importAnimals, type Options } from '../transfer/import.ts'
import { own } from '../transfer/mappings/own.ts'
import { cleanup } from './cleanup.ts'

export async function openStore(t: TestContext, url: string) {
  const store = await openForCommand(url, changes)
  cleanup(t).defer(() => store.close())
  return store
}

export type Store = Awaited<ReturnType<typeof openForCommand>>

/** Imports a text, which arrives in small pieces. */
export async function importText(store: Store, file: string | Buffer, given: Partial<Options> = {}) {
  const bytes = Buffer.from(file)
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, i) =>
    bytes.subarray(i * 1_000, (i + 1) * 1_000),
  )
  const refused: Refusal[] = []
  const done = await importAnimals(store, Readable.from(pieces), {
    format: 'ndjson',
    mapping: own,
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
    ...given,
  })
  return { ...done, refusals: refused, reasons: refused.map(({ line, reason }) => `${line}: ${reason}`) }
}

/** With what makes each line of the file an object that is updated by its id. */
export const BY_ID = { idColumn: 'id', update: true, keyId: 1 }
export const lines = (...animals: object[]): string =>
  animals.map((animal) => JSON.stringify(animal)).join('\n')
