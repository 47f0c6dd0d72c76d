import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { importText, openStore } from '../testing/import-lines.ts'
import { makeKey, scratchFolder, scratchStore } from '../testing/start-app.ts'
import { parseOptions } from './import.ts'
import { createWatcher } from './watch.ts'

const NOW = Date.UTC(2026, 10, 24)

test('watching a folder returns the newest file once that file is complete, and again after a change', async (t) => {
  const folder = scratchFolder(t)
  mkdirSync(join(folder, 'later.csv'))
  const put = (name: string, content: string, changedAt: number) => {
    writeFileSync(join(folder, name), content)
    utimesSync(join(folder, name), changedAt / 1_000, changedAt / 1_000)
  }
  const look = createWatcher(folder, ['.csv', '.json'], () => NOW)
  assert.equal(await look(), undefined)
  put('a.csv', 'a', NOW - 60_000)
  put('b.CSV', 'b', NOW - 30_000)
  put('notes.txt', 'x', NOW - 10_000)

  const first = await look()
  assert.equal(await contentOf(first), 'b')
  assert.ok(await look(), 'what did not come in is met again')
  first?.markImported()
  assert.equal(await look(), undefined)

  put('a.csv', 'still on its way', NOW - 1_000)
  assert.equal(await look(), undefined)
  put('a.csv', 'new', NOW - 5_000)
  const second = await look()
  assert.equal(await contentOf(second), 'new')
  second?.markImported()
  assert.equal(await look(), undefined)
})

/** The content of a found export. */
async function contentOf(found: Awaited<ReturnType<ReturnType<typeof createWatcher>>>): Promise<string> {
  assert.ok(found)
  await using input = await found.open()
  return await text(input.bytes())
}

test('watching a missing file throws', async (t) => {
  await assert.rejects(
    createWatcher(join(scratchFolder(t), 'none.csv'), ['.csv'], () => NOW)(),
    /no such file/,
  )
})

test('watching a URL sends the ETag of the last import, and messages contain no secrets', async (t) => {
  let [status, etag, body] = [200, '"1"', 'one']
  const etags: unknown[] = []
  const server = http.createServer((request, response) => {
    etags.push(request.headers['if-none-match'])
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end()
    else response.writeHead(status, { etag }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup(t).defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const look = createWatcher(`http://127.0.0.1:${port}/export.csv?token=secret`, ['.csv'], () => NOW)

  const first = await look()
  assert.equal(first?.name, `127.0.0.1:${port}/export.csv`)
  assert.equal(await contentOf(first), 'one')
  first?.markImported()
  assert.equal(await look(), undefined)
  ;[etag, body] = ['"2"', 'two']
  const second = await look()
  assert.equal(await contentOf(second), 'two')
  second?.markImported()
  ;[status, etag] = [500, '"3"']
  await assert.rejects(
    look(),
    (error: Error) => /answered with 500/.test(error.message) && !/secret/.test(error.message),
  )
  assert.deepEqual(etags, [undefined, '"1"', '"1"', '"2"'])
})

test('watching recognizes animals without an id, and removes animals that the file no longer has', async (t) => {
  const url = scratchStore(t)
  await makeKey(url)
  const store = await openStore(t, url)
  const watch = { watch: true, every: 1, update: 'no', key: 1, currency: 'USD', removed: 'sold' } as const
  const options = await parseOptions('animals.csv', watch)
  const fileWith = (name: string) => `no,name,category,status\n1,Rex,Dog,available\n,${name},Dog,available\n`
  const results: unknown[] = []
  for (const name of ['Max', 'Ada', 'Ada']) {
    const { added, unchanged, removed } = await importText(store, fileWith(name), options)
    results.push([added, unchanged, removed])
  }
  assert.deepEqual(results, [
    [2, 0, 0],
    [1, 1, 1],
    [0, 2, 0],
  ])
  await assert.rejects(parseOptions('animals.csv', { ...watch, again: true }), /exclude each other/)
})
