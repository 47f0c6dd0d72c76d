import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ApiError } from '../../errors.ts'
import { JPEG, picture } from '../../testing/pictures.ts'
import { replaceNode, shellProgram } from '../../testing/reader-program.ts'
import { until } from '../../testing/redis.ts'
import { scratchFolder, startApp, UNLIMITED } from '../../testing/start-app.ts'
import { openRenderer } from './render.ts'

async function startWithAnimal(t: TestContext) {
  const app = await startApp(t, { key: UNLIMITED, ownProcesses: true })
  await app.post('/v1/pets', { name: 'Rex', categoryId: 1 })
  const add = async (number = 0) =>
    app.request('/v1/pets/1/photos', { method: 'POST', body: await picture({ number }), headers: JPEG })
  return { ...app, add }
}

/** A program that waits for a photo and then runs a line of shell. */
const program = (t: TestContext, line: string): string => shellProgram(t, `read -r task <&3\n${line}`)

test('an upload when the render process cannot be started gets 503, and the next upload works', async (t) => {
  const app = await startWithAnimal(t)
  const putBack = replaceNode(t, join(scratchFolder(t), 'none'))

  const refused = await app.add()

  assert.deepEqual([refused.status, refused.body.code], [503, 'service_unavailable'])
  assert.match(app.log.join(''), /ENOENT/)
  putBack()
  assert.equal((await app.add()).status, 201)
})

test('an upload gets 422 when the render process crashes, and 503 when the process is killed', async (t) => {
  const app = await startWithAnimal(t)
  for (const [signal, status] of [
    ['SEGV', 422],
    ['ABRT', 422],
    ['KILL', 503],
    ['TERM', 503],
  ] as const) {
    const putBack = replaceNode(t, program(t, `kill -${signal} $$`))
    assert.equal((await app.add()).status, status, signal)
    putBack()
  }
  assert.equal((await app.add()).status, 201)
})

test('a picture that needs too much processor time gets 422, and the next picture 201', async (t) => {
  const app = await startWithAnimal(t)
  const putBack = replaceNode(t, program(t, 'exit 78'))

  const refused = await app.add()

  assert.deepEqual([refused.status, refused.body.code], [422, 'invalid_image'])
  assert.match(refused.body.message, /takes too long/)
  putBack()
  assert.equal((await app.add()).status, 201)
})

test('the last output of the render process is logged, cut to 1,024 characters, and not sent to the client', async (t) => {
  const app = await startWithAnimal(t)
  replaceNode(t, program(t, 'printf "%02000d" 0 >&2; echo "libvips.so is missing" >&2; exit 1'))

  const { status, text } = await app.add()

  assert.equal(status, 503)
  assert.doesNotMatch(text, /libvips/)
  const log = app.log.join('')
  assert.match(log, /ended with 1: 0+libvips\.so is missing/)
  assert.ok((/0{3,}/.exec(log)?.[0].length ?? 0) < 1_024)
})

test('Renderer.close answers current and waiting photos with 503, and no process remains', async (t) => {
  const starts = join(scratchFolder(t), 'starts')
  replaceNode(t, program(t, `echo one >> ${starts}; exec sleep 60`))
  const renderer = openRenderer()
  const answers = [1, 2].map(() => renderer.render({ source: '', renditions: [] }).catch((error) => error))
  await until(() => existsSync(starts))

  await renderer.close()

  for (const error of await Promise.all(answers))
    assert.ok(error instanceof ApiError && error.status === 503, String(error))
  renderer.warm()
  assert.equal(readFileSync(starts, 'utf8'), 'one\n')
  await until(() => !process.getActiveResourcesInfo().includes('ProcessWrap'))
})

test('a render process with invalid or unexpected output is ended, and the service continues', async (t) => {
  const app = await startWithAnimal(t)
  for (const said of [
    'no JSON',
    '{"rendered":',
    'null',
    '[]',
    '{"rendered":{"width":"9","height":9}}',
    '{"rendered":{"width":9,"height":-1}}',
    '{"refusal":{}}',
    '{"cmd":"NODE_HANDLE","type":"net.Socket"}',
    `"${'x'.repeat(100_000)}`,
    `{"refusal":"${'x'.repeat(100_000)}"}`,
  ]) {
    const putBack = replaceNode(t, program(t, `printf '%s\\n' '${said}' >&3; exec sleep 60`))
    const { status, body } = await app.add()
    assert.deepEqual([status, body.code], [503, 'service_unavailable'], said.slice(0, 99))
    putBack()
  }
  const starts = join(scratchFolder(t), 'starts')
  const putBack = replaceNode(
    t,
    shellProgram(t, `echo one >> ${starts}; echo '{"refusal":"unasked"}' >&3; exec sleep 60`),
  )
  const renderer = openRenderer()
  t.after(() => renderer.close())
  renderer.warm()
  await until(() => existsSync(starts) && !process.getActiveResourcesInfo().includes('ProcessWrap'))
  putBack()

  assert.equal((await app.add()).status, 201)
})

/** A program that runs a line of shell for each of its first photos. */
const answering = (t: TestContext, starts: string, answers: string[]): string =>
  shellProgram(
    t,
    `echo one >> ${starts}\n${answers.map((answer) => `read -r task <&3; ${answer}`).join('\n')}\nexec sleep 60`,
  )

test('a photo that exceeds the memory of a used process is tried in a new process, and refused if that fails too', async (t) => {
  const starts = join(scratchFolder(t), 'starts')
  const started = () => readFileSync(starts, 'utf8').split('\n').length - 1
  const renderer = openRenderer()
  t.after(() => renderer.close())
  const read = () =>
    renderer.render({ source: '', renditions: [] }).then(
      ({ width }) => width,
      (error) => error.message,
    )
  const good = (bytes: number) => `echo '{"rendered":{"width":9,"height":9},"bytes":${bytes}}' >&3`
  replaceNode(t, answering(t, starts, [good(1), 'exit 77']))

  assert.deepEqual([await read(), started()], [9, 1])
  assert.deepEqual([await read(), started()], [9, 2], 'a new process tries it again')
  replaceNode(t, answering(t, starts, ['exit 77']))
  assert.match(await read(), /too much memory/)
  assert.equal(started(), 3, 'the earlier process and one more')
  assert.match(await read(), /too much memory/)
  assert.equal(started(), 4, 'it was tried in one new process')

  replaceNode(t, answering(t, starts, [good(130 * 1_048_576), good(1)]))
  assert.deepEqual(
    [await read(), await read(), started()],
    [9, 9, 6],
    'a process that keeps much memory is ended',
  )
})
