import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { cleanup } from './testing/cleanup.ts'
import { bareEnvironment } from './testing/process.ts'
import { scratchFolder } from './testing/start-app.ts'

/** A user without write access to files of root; the current user if the tests do not run as root. */
const OTHER_USER = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const STACK = `export const release = (): string => String(new Error('asked').stack)\n`

test('a command in a clone: builds the bundle once, and again after an edit; stack traces name the source', async (t) => {
  const { folder, run, bundles } = makeClone(t)
  assert.equal(await run(), '1.0.0\n')
  const [first = ''] = bundles()
  const built = (): number => statSync(join(first, 'cli.cjs')).mtimeMs
  const builtAt = built()

  assert.equal(await run(), '1.0.0\n')
  assert.deepEqual(bundles(), [first])
  assert.equal(built(), builtAt)

  const release = join(folder, 'src/release.ts')
  writeFileSync(release, STACK)
  assert.match(await run(), new RegExp(`^Error: asked\n +at .*${release}:1:\\d+`))
  assert.equal(bundles().length, 2)
})

test('concurrent commands in a new clone: all run, and one complete bundle remains', async (t) => {
  const { run, bundles } = makeClone(t)
  assert.deepEqual(await Promise.all([run(), run(), run()]), ['1.0.0\n', '1.0.0\n', '1.0.0\n'])
  assert.equal(bundles().length, 1)
})

test('a build whose bundle exists already: keeps the existing bundle', async (t) => {
  const { folder, run, bundles } = makeClone(t)
  await run()
  const [bundle = ''] = bundles()
  const marker = join(bundle, 'marker')
  writeFileSync(marker, '')

  await promisify(execFile)(process.execPath, [join(folder, 'build.ts'), bundle])

  assert.ok(existsSync(marker))
  assert.deepEqual(bundles(), [bundle])
})

test('in a read-only clone, or with coverage, the command runs the source and writes no bundle', async (t) => {
  const { folder, run, bundles } = makeClone(t)
  const coverage = scratchFolder(t)
  assert.equal(await run({ env: { ...bareEnvironment(), NODE_V8_COVERAGE: coverage } }), '1.0.0\n')
  chmodSync(join(folder, 'node_modules'), 0o555)
  cleanup(t).defer(() => chmodSync(join(folder, 'node_modules'), 0o755))
  assert.equal(await run(OTHER_USER), '1.0.0\n')
  assert.deepEqual(bundles(), [])
  assert.match(readdirSync(coverage).join(), /^coverage-/)
})

test('a clone without the bundler: runs the source, and a syntax error names its file and line', async (t) => {
  const { folder, run, bundles } = makeClone(t, ['rolldown'])
  assert.equal(await run(), '1.0.0\n')
  writeFileSync(join(folder, 'src/release.ts'), 'export const release = (\n')
  await assert.rejects(run(), /release\.ts:1/)
  assert.deepEqual(bundles(), [])
})

/** Copies this project without tests and bundle, with links to its packages. */
function makeClone(t: TestContext, without: string[] = []) {
  const folder = scratchFolder(t)
  chmodSync(folder, 0o755)
  for (const name of ['bin', 'build.ts', 'package.json', 'package-lock.json', 'src']) {
    const filter = (file: string): boolean => !/\.test\.ts$|\/testing$/.test(file)
    cpSync(name, join(folder, name), { recursive: true, filter })
  }
  const packages = join(folder, 'node_modules')
  mkdirSync(packages)
  for (const name of readdirSync('node_modules')) {
    if (name === '.cache' || without.includes(name)) continue
    symlinkSync(resolve('node_modules', name), join(packages, name))
  }
  const cache = join(packages, '.cache/adoptable')
  const program = join(folder, 'bin/adoptable.js')
  return {
    folder,
    async run(options: { env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {}): Promise<string> {
      const settings = { cwd: folder, env: bareEnvironment(), ...options }
      return (await promisify(execFile)(process.execPath, [program, '--version'], settings)).stdout
    },
    /** The complete and partial bundles of the clone. */
    bundles: () =>
      statSync(cache, { throwIfNoEntry: false }) ? readdirSync(cache).map((name) => join(cache, name)) : [],
  }
}
