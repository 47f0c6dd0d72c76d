import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { startClient } from './src/testing/start-client.ts'

const ROOT = resolve(import.meta.dirname, '..')
const command = (name: string) => join(ROOT, 'node_modules/.bin', name)

/** @returns stdout @throws with the output if the command fails */
async function run(cwd: string, program: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd }).catch((error) => {
    throw new Error(`${program} ${args.join(' ')}: ${error.stdout}${error.stderr}`)
  })
  return stdout
}

const scratch = mkdtempSync(join(tmpdir(), 'adoptable-client-'))
after(() => rmSync(scratch, { recursive: true }))
const tarball = join(scratch, 'client.tgz')
/** A program with only this package installed. */
const folder = join(scratch, 'program')
const installed = join(folder, 'node_modules/@adoptable/client')

before(async () => {
  const copy = join(scratch, 'copy')
  const source = join(copy, 'client')
  for (const name of ['package.json', 'README.md', 'LICENSE', 'src', 'commonjs.ts', 'tsconfig.build.json']) {
    cpSync(join(ROOT, 'client', name), join(source, name), { recursive: true })
  }
  cpSync(join(ROOT, 'tsconfig.json'), join(copy, 'tsconfig.json'))
  await run(source, command('tsc'), '-p', 'tsconfig.build.json')
  await run(source, process.execPath, 'commonjs.ts')
  const packed = await run(source, 'npm', 'pack', '--silent', '--ignore-scripts')
  renameSync(join(source, packed.trim()), tarball)
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  await run(folder, 'npm', 'install', '--offline', '--silent', '--no-audit', '--no-fund', tarball)
})

/** All examples of the README as one program. */
function readmeProgram(): string {
  const text = readFileSync(join(ROOT, 'client/README.md'), 'utf8')
  return [...text.matchAll(/```js\n(.*?)```/gs)].map(([, example]) => example).join('')
}

test('the package contains only its files, has no dependencies, and runs the examples of its README', async (t) => {
  const { app, settings } = await startClient(t)

  assert.deepEqual(readdirSync(join(folder, 'node_modules/@adoptable')), ['client'])
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['@adoptable'],
  )
  assert.deepEqual(readdirSync(installed).sort(), ['LICENSE', 'README.md', 'dist', 'package.json'])
  const sources = readdirSync(join(installed, 'dist'))
  assert.deepEqual(
    sources.filter((name) => !/^[a-z-]+(\.d\.c?ts|\.c?js)$/.test(name)),
    [],
  )
  const operations = readFileSync(join(installed, 'dist/operations.d.ts'), 'utf8')
  // Once per overload.
  assert.equal(operations.match(/@deprecated .*\n\s*\*\/\s*getPet\(/g)?.length, 2)
  assert.equal(operations.match(/@deprecated/g)?.length, 2)

  const program = readmeProgram().replace('http://127.0.0.1:8080/v1', String(settings.baseUrl))
  writeFileSync(join(folder, 'program.js'), program.replace('adopt_live_…', app.key))
  const printed = await run(folder, process.execPath, 'program.js')
  assert.match(printed, /^1 Rex\n1 Rex\n\/name .+\n\/categoryId .+\n$/)
})

test('CommonJS and ES modules share the same classes', async () => {
  const program = `const client = require('@adoptable/client')
    import('@adoptable/client').then((same) => console.log(
      Object.keys(client).sort().join(),
      client.AdoptableClient === same.AdoptableClient && client.AdoptableError === same.AdoptableError,
    ))`
  writeFileSync(join(folder, 'program.cjs'), program)

  assert.match(
    await run(folder, process.execPath, 'program.cjs'),
    /^AdoptableClient,AdoptableError,WebhookError,verifyWebhook true\n$/,
  )
})

test('every link of the README stays inside the package', () => {
  const text = readFileSync(join(installed, 'README.md'), 'utf8')
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    return `#${heading.toLowerCase().replaceAll(' ', '-')}`
  })

  const links = [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, to = '']) => to)
  assert.deepEqual(
    links.filter((to) => !headings.includes(to)),
    [],
  )
})

test('publint finds nothing, and the types work for strict programs in Node and browsers', async () => {
  const written = readFileSync(join(ROOT, 'client/src/testing/as-used.ts'), 'utf8')
  for (const name of ['as-used.ts', 'as-used.cts']) {
    writeFileSync(join(folder, name), written.replace("'../client.ts'", "'@adoptable/client'"))
  }
  mkdirSync(join(folder, 'node_modules/@types'))
  for (const name of ['@types/node', 'undici-types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
  // The README's examples must compile unchanged.
  writeFileSync(join(folder, 'readme.ts'), readmeProgram())
  const compile = (...options: string[]) =>
    run(
      folder,
      command('tsc'),
      ...['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'],
      ...options,
      ...['as-used.ts', 'as-used.cts', 'readme.ts'],
    )

  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true })
  assert.deepEqual(messages, [])
  await Promise.all([
    compile('--module', 'nodenext', '--lib', 'es2022', '--types', 'node'),
    // Older compilers do not accept types of ES modules in CommonJS.
    compile('--module', 'node16', '--lib', 'es2022', '--types', 'node'),
    compile('--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom'),
  ])
})
