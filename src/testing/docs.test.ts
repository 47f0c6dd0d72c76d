import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DOCUMENTS, ROOT } from './docs.ts'

for (const [name, render] of Object.entries(DOCUMENTS)) {
  test(`${name} is up to date with the source`, () => {
    const present = readFileSync(new URL(name, ROOT), 'utf8')

    assert.equal(
      present,
      render(present),
      `${name} is out of date: update it with \`node src/testing/docs.ts\``,
    )
  })
}

test('npm pack includes the documents that the README links to, and no source', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const packed: { files: { path: string }[] }[] = Object.values(
    JSON.parse(
      execFileSync('npm', args, { cwd: fileURLToPath(ROOT), stdio: ['ignore', 'pipe', 'ignore'] }).toString(),
    ),
  )
  const names = packed.flatMap(({ files }) => files.map(({ path }) => path))
  for (const name of globSync('docs/**/*.{md,svg}', { cwd: fileURLToPath(ROOT) }))
    assert.ok(names.includes(name), name)
  for (const name of ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'deploy/adoptable.service'])
    assert.ok(names.includes(name), name)
  assert.ok(!names.some((name) => name.startsWith('src/')))
})

test('every relative link in a document points to an existing file', () => {
  const documents = globSync(['*.md', '{docs,client,bench,torture,checks}/**/*.md'], {
    cwd: fileURLToPath(ROOT),
    exclude: (name) => name === 'node_modules',
  })
  const links = documents.flatMap((document) => {
    const url = new URL(document, ROOT)
    return [...readFileSync(url, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(
      ([, to = '']) => new URL(to, url),
    )
  })

  assert.deepEqual(
    links.filter((link) => !existsSync(link)).map(({ pathname }) => pathname),
    [],
  )
})

test('CHANGELOG.md begins with the present version and uses the sections of Keep a Changelog', () => {
  const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'))
  const changelog = readFileSync(new URL('CHANGELOG.md', ROOT), 'utf8')
  const [newest] = changelog.match(/^## .*$/m) ?? []
  const kinds = [...changelog.matchAll(/^### (.*)$/gm)].map(([, kind = '']) => kind)

  assert.match(String(newest), new RegExp(`^## \\[${version}\\] - (?:Unreleased|\\d{4}-\\d\\d-\\d\\d)$`))
  assert.deepEqual(
    kinds.filter((kind) => !/^(?:Added|Changed|Deprecated|Removed|Fixed|Security)$/.test(kind)),
    [],
  )
})
