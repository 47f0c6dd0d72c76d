import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { changes } from '../changes.ts'
import { openForCommand } from '../db/open-database.ts'
import { AMERICAN, type Format, type Refusal } from '../transfer/animal.ts'
import { exportAnimals } from '../transfer/export.ts'
import { importAnimals, type Options } from '../transfer/import.ts'
import { own } from '../transfer/mappings/own.ts'
import { MAPPINGS } from '../transfer/mappings.ts'
import { cleanup } from './cleanup.ts'
import { makeKey, scratchFolder } from './start-app.ts'

/** A store that files of one program come into, one after the other, each changing what is there. */
export async function openForFiles(t: TestContext, from: string) {
  const url = `sqlite:${join(scratchFolder(t), 'test.db')}`
  const store = await openForCommand(url, changes)
  await makeKey(url)
  cleanup(t).defer(() => store.close())
  const mapping = MAPPINGS[from] ?? own
  async function importText(file: string, format: Format, given: Partial<Options> = {}) {
    const refused: Refusal[] = []
    const done = await importAnimals(store, Readable.from([Buffer.from(file)]), {
      ...{ format, mapping, habits: AMERICAN, source: from, idColumn: mapping.idColumn ?? 'id' },
      ...{ update: true, keyId: 1, category: undefined, dryRun: false, mayHaveOwnIds: false },
      clock: () => Date.UTC(2026, 10, 23),
      onRefused: ({ why: _otherWords, ...refusal }) => refused.push(refusal),
      onBatch: () => undefined,
      ...given,
    })
    const exported = await text(Readable.from(exportAnimals(store.db, 'ndjson')))
    // biome-ignore lint/suspicious/noExplicitAny: what is in there is what the tests are about
    const animals: any[] = exported.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []))
    return { ...done, refused, animals }
  }
  return importText
}
