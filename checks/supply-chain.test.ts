import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateKey } from '../src/keys/key-format.ts'
import { scratchFolder } from '../src/testing/start-app.ts'
import { needs, reportFigure } from '../torture/lab/rounds.ts'
import {
  billOfMaterials,
  copyTo,
  FILES,
  isOfOnePlatform,
  listNeeded,
  locked,
  manifest,
  nameAndVersion,
  pack,
  run,
} from './supply-chain-packages.ts'

const DIRECT = Object.keys(manifest.dependencies)
/** The current numbers, so each new dependency is a decision. */
const MAX_DIRECT = 24
const MAX_IN_ALL = 106

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

function findSecrets(text: string): string[] {
  return Object.entries(SECRETS).flatMap(([what, pattern]) => {
    const found = pattern.exec(text)
    return found ? [`${what}: ${found[0].slice(0, 60)}`] : []
  })
}

test('every package has a hash, comes from the registry, and runs install scripts only if listed', () => {
  const { allowScripts, dependencies, devDependencies } = manifest
  for (const [place, { integrity, resolved, hasInstallScript }] of locked) {
    assert.match(String(integrity), /^sha512-[\w+/]{86}==$/, place)
    assert.ok(resolved === undefined || /^https:\/\/registry\.npmjs\.org\//.test(resolved), place)
    const [, name = ''] = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? []
    if (hasInstallScript) assert.ok(name in allowScripts || name === 'fsevents', `${place} runs a script`)
  }
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies })) {
    assert.match(String(range), /^\^?\d+\.\d+\.\d+[\w.-]*$/, `${name} is not a version from the registry`)
  }
})

test('the number of runtime dependencies is within the limits', (t) => {
  const all = new Set(DIRECT.flatMap((name) => [...listNeeded(name)].filter(isOfOnePlatform)))
  const own = DIRECT.map((name) => {
    const others = new Set(
      DIRECT.filter((other) => other !== name).flatMap((other) => [...listNeeded(other)]),
    )
    return [name, [...listNeeded(name)].filter((place) => !others.has(place)).length] as const
  })
  const most = own.toSorted(([, one], [, other]) => other - one).slice(0, 5)
  reportFigure(
    t,
    `${DIRECT.length} direct, ${all.size} in all; alone bring ${most.map((pair) => pair.join(' ')).join(', ')}`,
  )
  assert.ok(DIRECT.length <= MAX_DIRECT, `${DIRECT.length} direct`)
  assert.ok(all.size <= MAX_IN_ALL, `${all.size} in all`)
})

test('the bill of materials lists exactly the runtime dependencies, with hashes', (t) => {
  const { components } = billOfMaterials(scratchFolder(t))
  const named = components.map(({ name, version }) => `${name}@${version}`)
  const needed = new Set(DIRECT.flatMap((name) => [...listNeeded(name)]).map(nameAndVersion))

  assert.deepEqual(named.sort(), [...needed].sort())
  for (const { name, hashes = [] } of components) assert.ok(hashes.length > 0, name)
  reportFigure(t, `${named.length} components`)
})

test('builds in two folders: the same package byte for byte, with listed files only', (t) => {
  const folders = [scratchFolder(t), scratchFolder(t)] as const
  copyTo(folders[0])
  cpSync(folders[0], folders[1], { recursive: true, verbatimSymlinks: true })
  const tarballs = folders.map(pack)
  const [one, other] = tarballs.map((file) => readFileSync(file))
  assert.ok(one && other && one.equals(other), 'the packages differ')

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
    assert.deepEqual(findSecrets(readFileSync(join(folders[0], file), 'utf8')), [], file)
  reportFigure(t, `${contents.length} files, ${one.length} bytes`)
})

test('no file and no commit has a secret', (t) => {
  for (const file of FILES) assert.deepEqual(findSecrets(readFileSync(file, 'utf8')), [], file)
  const history = run('git', ['log', '-p', '--all', '--no-textconv'])
  for (const line of history.split('\n')) assert.deepEqual(findSecrets(line), [], line)
  reportFigure(t, `${FILES.length} files, ${(history.length / 1e6).toFixed(1)} MB of history`)
})

test('control: each kind of secret is found', () => {
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
  for (const sample of samples) assert.equal(findSecrets(`a "${sample}" b`).length, 1, sample)
})

test('no runtime dependency has a known vulnerability of high severity', needs('npm'), (t) => {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    encoding: 'utf8',
    timeout: 30_000,
  })
  const { metadata } = JSON.parse(stdout || '{}')
  if (!metadata) return t.skip('the registry does not answer the audit')
  const { high, critical, total } = metadata.vulnerabilities
  assert.deepEqual({ high, critical }, { high: 0, critical: 0 })
  reportFigure(t, `${total} vulnerabilities, 0 of high severity`)
})
