import assert from 'node:assert/strict'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { cleanup } from '../testing/cleanup.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { lookAt } from './watched.ts'

const NOW = Date.UTC(2026, 10, 24)

test('a folder: the newest file is met once it stands still, and again when it or another is newer', async (t) => {
  const folder = scratchFolder(t)
  mkdirSync(join(folder, 'later.csv'))
  const put = (name: string, content: string, changedAt: number) => {
    writeFileSync(join(folder, name), content)
    utimesSync(join(folder, name), changedAt / 1_000, changedAt / 1_000)
  }
  const look = lookAt(folder, ['.csv', '.json'], () => NOW)
  assert.equal(await look(), undefined)
  put('a.csv', 'a', NOW - 60_000)
  put('b.CSV', 'b', NOW - 30_000)
  put('notes.txt', 'x', NOW - 10_000)

  const first = await look()
  assert.equal(first && (await text(first.bytes)), 'b')
  assert.ok(await look(), 'what did not come in is met again')
  first?.taken()
  assert.equal(await look(), undefined)

  put('a.csv', 'still on its way', NOW - 1_000)
  assert.equal(await look(), undefined)
  put('a.csv', 'new', NOW - 5_000)
  const second = await look()
  assert.equal(second && (await text(second.bytes)), 'new')
  second?.taken()
  assert.equal(await look(), undefined)
})

test('a file that is not there is told', async (t) => {
  await assert.rejects(lookAt(join(scratchFolder(t), 'none.csv'), ['.csv'], () => NOW)(), /no such file/)
})

test('an address: asked with the ETag of what came in, whose secrets are in no message', async (t) => {
  let [status, etag, body] = [200, '"1"', 'one']
  const asked: unknown[] = []
  const server = http.createServer((request, response) => {
    asked.push(request.headers['if-none-match'])
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end()
    else response.writeHead(status, { etag }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup(t).defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const look = lookAt(`http://127.0.0.1:${port}/export.csv?token=secret`, ['.csv'], () => NOW)

  const first = await look()
  assert.equal(first?.name, `127.0.0.1:${port}/export.csv`)
  assert.equal(first && (await text(first.bytes)), 'one')
  first?.taken()
  assert.equal(await look(), undefined)
  ;[etag, body] = ['"2"', 'two']
  const second = await look()
  assert.equal(second && (await text(second.bytes)), 'two')
  second?.taken()
  ;[status, etag] = [500, '"3"']
  await assert.rejects(
    look(),
    (error: Error) => /answered with 500/.test(error.message) && !/secret/.test(error.message),
  )
  assert.deepEqual(asked, [undefined, '"1"', '"1"', '"2"'])
})
