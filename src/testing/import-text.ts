import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { type Format, US_LOCALE } from '../transfer/animal.ts'
import { exportAnimals } from '../transfer/export.ts'
import { importAnimals, type Options } from '../transfer/import.ts'
import { MAPPINGS } from '../transfer/mappings/all.ts'
import { ownMapping } from '../transfer/mappings/own.ts'
import type { Refusal } from '../transfer/report.ts'
import { cleanup } from './cleanup.ts'
import { makeKey, scratchStore } from './start-app.ts'

/** Opens a store. @returns a function that imports a file of the overrides program and exports all animals */
export async function openForFiles(t: TestContext, from: string) {
  const url = scratchStore(t)
  const store = await openForCommand(url, changes)
  await makeKey(url)
  cleanup(t).defer(() => store.close())
  const mapping = MAPPINGS[from] ?? ownMapping
  async function importText(file: string, format: Format, overrides: Partial<Options> = {}) {
    const refused: Refusal[] = []
    const done = await importAnimals(
      store,
      { bytes: () => Readable.from([Buffer.from(file)]) },
      {
        ...{ format, mapping, locale: US_LOCALE, source: from, idColumn: mapping.idColumn ?? 'id' },
        ...{ update: true, keyId: 1, category: undefined, dryRun: false, mayHaveOwnIds: false },
        clock: () => Date.UTC(2026, 10, 23),
        onRefused: ({ why: _otherWords, ...refusal }) => refused.push(refusal),
        onBatch: () => undefined,
        ...overrides,
      },
    )
    const exported = await text(Readable.from(exportAnimals(store.db, 'ndjson')))
    // biome-ignore lint/suspicious/noExplicitAny: tests read animals of any shape
    const animals: any[] = exported.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
    return { ...done, refused, animals }
  }
  return importText
}
