import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ApiError } from '../errors.ts'
import { JPEG, picture } from '../testing/pictures.ts'
import { exchangeNode, shellProgram } from '../testing/reader-program.ts'
import { until } from '../testing/redis.ts'
import { scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'
import { openRenderer } from './render.ts'

async function startWithAnimal(t: TestContext) {
  const app = await startApp(t, { key: UNLIMITED })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const add = async (number = 0) =>
    app.request('/v1/pets/1/photos', { method: 'POST', body: await picture({ number }), headers: JPEG })
  return { ...app, add }
}

/** A program that waits for a photo, and then does what the line says. */
const program = (t: TestContext, line: string): string => shellProgram(t, `read -r task <&3\n${line}`)

test('a photo for which no process can be started is a 503, the service goes on, and the next is read', async (t) => {
  const app = await startWithAnimal(t)
  const putBack = exchangeNode(t, join(scratchFolder(t), 'none'))

  const refused = await app.add()

  assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable'])
  assert.match(app.log.join(''), /ENOENT/)
  putBack()
  assert.equal((await app.add()).status, 201)
})

test('a process that falls over a photo refuses that; one that is killed says nothing of the photo', async (t) => {
  const app = await startWithAnimal(t)
  for (const [signal, status] of [
    ['SEGV', 422],
    ['ABRT', 422],
    ['KILL', 503],
    ['TERM', 503],
  ] as const) {
    const putBack = exchangeNode(t, program(t, `kill -${signal} $$`))
    assert.equal((await app.add()).status, status, signal)
    putBack()
  }
  assert.equal((await app.add()).status, 201)
})

test('what the process said last stands in the log, cut to its end, and no client sees it', async (t) => {
  const app = await startWithAnimal(t)
  exchangeNode(t, program(t, 'printf "%02000d" 0 >&2; echo "libvips.so is missing" >&2; exit 1'))

  const { status, text } = await app.add()

  assert.equal(status, 503)
  assert.doesNotMatch(text, /libvips/)
  const log = app.log.join('')
  assert.match(log, /ended with 1: 0+libvips\.so is missing/)
  assert.ok((/0{3,}/.exec(log)?.[0].length ?? 0) < 1_024)
})

test('at the end of the service the photo under way and those behind it get 503, and no process is left', async (t) => {
  const starts = join(scratchFolder(t), 'starts')
  exchangeNode(t, program(t, `echo one >> ${starts}; exec sleep 60`))
  const renderer = openRenderer()
  const answers = [1, 2].map(() => renderer.render({ source: '', forms: [] }).catch((error) => error))
  await until(() => existsSync(starts))

  await renderer.close()

  for (const error of await Promise.all(answers))
    assert.ok(error instanceof ApiError && error.status === 503, String(error))
  renderer.warm()
  assert.equal(readFileSync(starts, 'utf8'), 'one\n')
  await until(() => !process.getActiveResourcesInfo().includes('ProcessWrap'))
})
