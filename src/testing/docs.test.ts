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

/** The anchors of a document: one for each heading, as on GitHub, and its own. */
function anchorsOf(markdown: string): string[] {
  const text = markdown.replaceAll(/^```.*?^```/gms, '')
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id)]
}

test('every relative link in a document points to an existing file and heading', () => {
  const documents = globSync(['*.md', '{docs,client,bench,torture,checks}/**/*.md'], {
    cwd: fileURLToPath(ROOT),
    exclude: (name) => name === 'node_modules',
  })
  const links = documents.flatMap((document) => {
    const url = new URL(document, ROOT)
    const text = readFileSync(url, 'utf8')
    return [...text.matchAll(/\]\((?!https?:)([^)\s]+)/g)].map(([, to = '']) => new URL(to, url))
  })
  const leadsNowhere = ({ href, hash }: URL): boolean => {
    const file = new URL(href.replace(hash, ''))
    if (!existsSync(file)) return true
    return hash !== '' && !anchorsOf(readFileSync(file, 'utf8')).includes(hash.slice(1))
  }

  assert.deepEqual(
    links.filter(leadsNowhere).map(({ href }) => href),
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
