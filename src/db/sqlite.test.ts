import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { openFile } from './sqlite.ts'

test('DATABASE_URL below /proc, where no folder can be created, is refused immediately in one line', {
  skip: process.platform !== 'linux',
}, async (t) => {
  for (const args of [['serve'], ['keys', 'list']]) {
    const settings = { DATABASE_URL: 'sqlite:/proc/adoptable/deep/pets.db', PORT: '0' }
    const { code, stderr } = await runCli(t, args, settings)
    assert.equal(code, 1)
    assert.match(stderr, /^adoptable: [^\n]*\/proc\/adoptable[^\n]*\n$/)
  }
  const file = join(scratchFolder(t), 'a', 'b', 'c', 'pets.db')
  openFile(file, 'write').close()
})
