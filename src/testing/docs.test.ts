import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { DOCUMENTS, ROOT } from './docs.ts'

for (const [name, render] of Object.entries(DOCUMENTS)) {
  test(`${name} says what the source says`, () => {
    const now = readFileSync(new URL(name, ROOT), 'utf8')

    assert.equal(now, render(now), `${name} is out of date: renew it with \`node src/testing/docs.ts\``)
  })
}

test('every link from a document to a file leads to one', () => {
  const documents = globSync(['*.md', '{docs,client,bench,torture}/**/*.md'], {
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

test('the changelog begins with this version, and sorts its changes as Keep a Changelog does', () => {
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
