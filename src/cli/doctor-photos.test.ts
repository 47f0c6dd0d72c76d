import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../config.ts'
import { cleanup } from '../testing/cleanup.ts'
import { scratchFolder } from '../testing/start-app.ts'
import { checkPhotos } from './doctor-photos.ts'

const look = (settings: Record<string, string>) => checkPhotos(readConfig(settings))

function folderOf(t: TestContext) {
  const folder = join(scratchFolder(t), 'photos')
  mkdirSync(join(folder, 'incoming'), { recursive: true })
  return { folder, settings: { PHOTOS_URL: `file:${folder}` } }
}

test('doctor: renders, stores, reads and removes a tiny photo', async (t) => {
  const { folder, settings } = folderOf(t)

  const findings = await look(settings)

  assert.deepEqual(
    findings.map(({ check, state, found }) => [check, state, found]),
    [
      ['rendering of photos', 'good', 'rendered a tiny picture'],
      ['store of photos', 'good', 'wrote, read and removed a file'],
    ],
  )
  assert.deepEqual(readdirSync(folder), ['incoming'])
})

test('doctor with an unusable photo folder: reports the folder as wrong and creates no folder', async (t) => {
  const { folder, settings } = folderOf(t)
  rmSync(folder, { recursive: true })
  const [, absent] = await look(settings)
  assert.deepEqual([absent?.state, absent?.found], ['good', `${folder} will be created by the first start`])
  assert.ok(!existsSync(folder))

  mkdirSync(folder)
  const [, empty] = await look(settings)
  assert.deepEqual([empty?.state, empty?.found], ['doubtful', `${folder} is empty`])
  assert.deepEqual(readdirSync(folder), [])
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'a file')
  const [, store] = await look(settings)
  assert.deepEqual([store?.state, store?.found], ['wrong', `${folder} cannot be created`])
})

test('doctor without rendering: reports the reason and still checks the photo store', async (t) => {
  const { settings } = folderOf(t)
  const { execPath } = process
  process.execPath = join(scratchFolder(t), 'none')
  cleanup(t).defer(() => {
    process.execPath = execPath
  })

  const [rendering, store] = await look(settings)

  assert.deepEqual([rendering?.state, store?.state], ['wrong', 'good'])
  assert.match(rendering?.found ?? '', /ENOENT/)
})
