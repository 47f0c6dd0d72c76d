import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateKey } from '../src/keys/key-format.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, reached } from '../torture/lab/rounds.ts'
import {
  billOfMaterials,
  copyTo,
  FILES,
  isOfOnePlatform,
  locked,
  manifest,
  nameAndVersion,
  neededBy,
  pack,
  run,
} from './supply-chain-packages.ts'

const DIRECT = Object.keys(manifest.dependencies)
/** As many as there are: another one is a decision. fast-json-stringify was installed before, for fastify. */
const MAX_DIRECT = 23
const MAX_IN_ALL = 118

const SECRETS: Record<string, RegExp> = {
  'a key of this service': /adopt_(?:live|test)_[0-9A-Za-z]{36}/,
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY(?: BLOCK)?-----/,
  'a token of a cloud': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{35}\b|\bya29\.[\w-]{20,}/,
  'a token of a code host or registry':
    /\b(?:gh[pousr]_\w{36,}|github_pat_\w{22,}|glpat-[\w-]{20,}|npm_\w{36})\b/,
  'a token of another service': /\bxox[abprs]-[\w-]{10,}|\b[rs]k_live_\w{20,}|\bSG\.[\w-]{22}\.[\w-]{43}/,
  'a signed token': /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/,
  'a password in an address':
    /\b[a-z]+:\/\/[\w.-]+:(?!(?:password|secret|test|\$|…|wrong)[^@]{0,30}@)[^\s/@:'"`<>${}]{6,}@[\w.-]/,
}

function secretsIn(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([what, pattern]) => {
    const found = pattern.exec(text)
    return found ? [`${what}: ${found[0].slice(0, 60)}`] : []
  })
}

test('every package is pinned by a hash, comes from a registry, and runs no script unless it is listed', () => {
  const { allowScripts, dependencies, devDependencies } = manifest
  for (const [place, { integrity, resolved, hasInstallScript }] of locked) {
    assert.match(String(integrity), /^sha512-[\w+/]{86}==$/, place)
    assert.ok(resolved === undefined || /^https:\/\/registry\.npmjs\.org\//.test(resolved), place)
    const [, name = ''] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? []
    if (hasInstallScript) assert.ok(name in allowScripts || name === 'fsevents', `${place} runs a script`)
  }
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(String(range), /^\^?\d+\.\d+\.\d+[\w.-]*$/, `${name} is no version of a registry`)
  }
})

test('the runtime dependencies are no more than were decided on', (t) => {
  const all = new Set(DIRECT.flatMap((name) => [...neededBy(name)].filter(isOfOnePlatform)))
  const own = DIRECT.map((name) => {
    const others = new Set(DIRECT.filter((other) => other !== name).flatMap((other) => [...neededBy(other)]))
    return [name, [...neededBy(name)].filter((place) => !others.has(place)).length] as const
  })
  const most = own.toSorted(([, one], [, other]) => other - one).slice(0, 5)
  reached(
    t,
    `${DIRECT.length} direct, ${all.size} in all; alone bring ${most.map((pair) => pair.join(' ')).join(', ')}`,
  )
  assert.ok(DIRECT.length <= MAX_DIRECT, `${DIRECT.length} direct`)
  assert.ok(all.size <= MAX_IN_ALL, `${all.size} in all`)
})

test('the bill of materials names each runtime dependency with its hash, and nothing else', (t) => {
  const { components } = billOfMaterials(scratchFolder(t))
  const named = components.map(({ name, version }) => `${name}@${version}`)
  const needed = new Set(DIRECT.flatMap((name) => [...neededBy(name)]).map(nameAndVersion))

  assert.deepEqual(named.sort(), [...needed].sort())
  for (const { name, hashes = [] } of components) assert.ok(hashes.length > 0, name)
  reached(t, `${named.length} components`)
})

test('two builds at two places make the same package, byte for byte, with nothing in it that is not listed', (t) => {
  const folders = [scratchFolder(t), scratchFolder(t)] as const
  copyTo(folders[0])
  cpSync(folders[0], folders[1], { recursive: true, verbatimSymlinks: true })
  const tarballs = folders.map(pack)
  const [one, other] = tarballs.map((file) => readFileSync(file))
  assert.ok(one && other && one.equals(other), 'they differ')

  const contents = run('tar', ['-tzf', tarballs[0] ?? ''])
    .trim()
    .split('\n')
  for (const file of contents) {
    assert.match(
      file,
      /^package\/(?:bin\/.*\.c?js|dist\/.*\.(?:cjs|cjs\.map|js)|(?:docs|deploy)\/.+|[A-Z]+\.md|openapi\.json|package\.json|LICENSE|dist\/LICENCES\.txt|\.env\.example)$/,
    )
  }
  rmSync(join(folders[0], 'dist'), { recursive: true })
  run('tar', ['-xzf', tarballs[0] ?? '', '-C', folders[0]])
  for (const file of contents)
    assert.deepEqual(secretsIn(readFileSync(join(folders[0], file), 'utf8')), [], file)
  reached(t, `${contents.length} files, ${one.length} bytes`)
})

test('neither a file nor any earlier version of one holds a secret', (t) => {
  for (const file of FILES) assert.deepEqual(secretsIn(readFileSync(file, 'utf8')), [], file)
  const history = run('git', ['log', '-p', '--all', '--no-textconv'])
  for (const line of history.split('\n')) assert.deepEqual(secretsIn(line), [], line)
  reached(t, `${FILES.length} files, ${(history.length / 1e6).toFixed(1)} MB of history`)
})

test('a secret would be found', () => {
  const samples = [
    generateKey('production'),
    ['-----BEGIN RSA', 'PRIVATE KEY-----'].join(' '),
    `AKIA${'A1'.repeat(8)}`,
    `ghp_${'a1'.repeat(18)}`,
    `npm_${'a1'.repeat(18)}`,
    `xoxb-${'1'.repeat(12)}`,
    `eyJ${'a'.repeat(12)}.eyJ${'b'.repeat(12)}.${'c'.repeat(12)}`,
    ['postgres://pets:', 'Tr0ub4dor', '@db.pets.example/pets'].join(''),
  ]
  for (const sample of samples) assert.equal(secretsIn(`a "${sample}" b`).length, 1, sample)
})

test('no known weakness of high rank is in a runtime dependency', needs('npm'), (t) => {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  const { metadata } = JSON.parse(stdout || '{}')
  if (!metadata) return t.skip('the registry answers no audit here')
  const { high, critical, total } = metadata.vulnerabilities
  assert.deepEqual({ high, critical }, { high: 0, critical: 0 })
  reached(t, `${total} weaknesses, 0 of high rank`)
})
