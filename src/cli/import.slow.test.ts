import assert from 'node:assert/strict'
import { exec } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { cleanup } from '../testing/cleanup.ts'
import { bareEnvironment, runCli, spawnCli } from '../testing/process.ts'
import { makeKey, scratchFolder } from '../testing/start-app.ts'

/** A folder with files in it, and the settings of a store there. */
function folderWith(t: TestContext, files: Record<string, string | Buffer>) {
  const folder = scratchFolder(t)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const path = (name: string): string => join(folder, name)
  return { folder, path, settings: { DATABASE_URL: `sqlite:${path('test.db')}` } }
}

test('import killed: leaves complete batches, and a second run resumes', async (t) => {
  const count = 40_000
  const animals = Array.from({ length: count }, (_, i) => `${i},Rex ${i},Dog\n`)
  const { path, settings } = folderWith(t, { 'pets.csv': `no,name,category\n${animals.join('')}` })
  await makeKey(settings.DATABASE_URL)
  const database = new DatabaseSync(path('test.db'), { readOnly: true })
  t.after(() => database.close())
  const added = (): number => Number(database.prepare('select count(*) as pets from pet').get()?.pets)
  const args = ['import', path('pets.csv'), '--update', 'no', '--key', '1', '--json']
  const { child, exited } = spawnCli(t, args, settings)
  while (child.exitCode === null && added() === 0) await new Promise(setImmediate)

  child.kill('SIGKILL')

  await exited
  const there = added()
  assert.ok(there > 0 && there < count && there % 2_000 === 0, `${there}`)
  const { added: more, unchanged, refused } = JSON.parse((await runCli(t, args, settings)).stdout)
  assert.deepEqual([more, unchanged, refused, added()], [count - there, there, 0, count])
})

test('import reads from a pipe; export accepts a pipe that closes early', async (t) => {
  const { settings } = folderWith(t, {})
  const command = 'node bin/adoptable.js sample | node bin/adoptable.js import - --init --json'
  const env = { ...bareEnvironment(), ...settings }
  const { stdout } = await promisify(exec)(command, { env })
  assert.equal(JSON.parse(stdout).added, 10_000)

  const { child: reader, exited } = spawnCli(t, ['export'], settings)
  if (reader.stdout) await once(reader.stdout, 'data')
  reader.stdout?.destroy()

  assert.deepEqual([(await exited).code, (await exited).stderr], [0, ''])
})

test('import --watch: imports changes until stopped, and continues after errors', async (t) => {
  const { path, settings } = folderWith(t, {})
  await makeKey(settings.DATABASE_URL)
  let body = 'no,name,category,status\n1,Rex,Dog,available\n2,Max,Dog,available\n'
  let etag = '"1"'
  const server = http.createServer((request, response) => {
    const isKnown = request.headers['if-none-match'] === etag
    response.writeHead(isKnown ? 304 : body === '' ? 500 : 200, { etag }).end(isKnown ? undefined : body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanup(t).defer(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/animals.csv`
  const watching = [
    'import',
    address,
    '--watch',
    '--every',
    '1s',
    '--update',
    'no',
    '--key',
    '1',
    '--removed',
    'sold',
  ]
  const { child, output, exited } = spawnCli(t, watching, settings)
  const met = async (pattern: RegExp) => {
    while (!pattern.test(output.stdout + output.stderr))
      await Promise.race([once(child.stdout as Readable, 'data'), once(child.stderr as Readable, 'data')])
  }

  await met(/animals\.csv: added 2, updated 0/)
  ;[body, etag] = ['', '"2"']
  await met(/animals\.csv answered with 500; next check in 1 s/)
  ;[body, etag] = ['no,name,category,status\n1,Rexi,Dog,available\n', '"3"']
  await met(/added 0, updated 1, .* 1 no longer found/)
  child.kill('SIGTERM')

  assert.equal((await exited).code, 0)
  assert.equal((await runCli(t, ['export', path('all.csv')], settings)).code, 0)
  assert.match(readFileSync(path('all.csv'), 'utf8'), /1,Rexi,Dog,available\r\n2,Max,Dog,sold\r\n/)
  for (const args of [['--watch'], ['--removed', 'sold']])
    assert.equal((await runCli(t, ['import', address, ...args], settings)).code, 2)
})
