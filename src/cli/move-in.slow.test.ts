import assert from 'node:assert/strict'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { runCli } from '../testing/process.ts'
import { makeKey, scratchFolder, startApp, UNLIMITED } from '../testing/start-app.ts'

// Follows the pages "Move in from …": runs their commands on a small export of each program.

const ROOT = new URL('../../', import.meta.url)

/** An animal as Shelterluv's API and Animal Shelter Manager's service list it. */
const SHELTERLUV = {
  animals: [
    { ID: 'S1', Name: 'Rex', Type: 'Dog', Sex: 'Male', Status: 'Available' },
    { ID: 'S2', Name: 'Ada', Type: 'Cat', Sex: 'Female', Status: 'Bite Quarantine' },
    { ID: 'S3', Name: 'Ben', Type: 'Dog', Sex: 'Male', Status: 'Ready to go home' },
  ],
}
const SHELTER_MANAGER = [
  { ID: 1, SHELTERCODE: 'D1', ANIMALNAME: 'Rex', SPECIESNAME: 'Dog', SEXNAME: 'Male' },
  { ID: 2, SHELTERCODE: 'D2', ANIMALNAME: 'Ada', SPECIESNAME: 'Cat', SEXNAME: 'Female', ISHOLD: 1 },
]

const sampleOf = (name: string): string => readFileSync(new URL(`src/transfer/samples/${name}`, ROOT), 'utf8')

/** The file in the commands of each page, its content, and the names of the animals that are published. */
const PAGES: Record<string, { file: string; content: string; available: string[] }> = {
  petfinder: { file: 'petfinder.csv', content: sampleOf('petfinder.csv'), available: ['Babo'] },
  petpoint: {
    file: 'petpoint.csv',
    content: [
      '"Animal Inventory",,',
      'Animal #,Animal Name,Species,Age,Stage,Intake Date/Time,Hold Reason,Days in Custody',
      'A1,Rex,Dog,2 years 3 months 4 days,Available,11/13/2026 9:15 AM,,16',
      'A2,Ada,Cat,9 months,Available,11/14/2026 1:00 PM,Bite Quarantine,15',
      'A3,Ben,Dog,1 year,Front window,11/14/2026 1:00 PM,,15',
      'A4,Zoe,Dog,1 year,Hold - Stray,11/14/2026 1:00 PM,,15',
      'Total Animals: 4,,',
      '',
    ].join('\n'),
    available: ['Rex', 'Ben'],
  },
  rescuegroups: { file: 'rescuegroups.json', content: sampleOf('rescuegroups.json'), available: ['Babo'] },
  'shelter-manager': {
    file: 'json_shelter_animals.json',
    content: JSON.stringify(SHELTER_MANAGER),
    available: ['Rex'],
  },
  shelterluv: { file: 'page-0.json', content: JSON.stringify(SHELTERLUV), available: ['Rex', 'Ben'] },
  spreadsheet: {
    file: 'animals.csv',
    content: 'number,name,category,status\n1,Rex,Dog,Available\n2,Ada,Cat,Medical hold\n',
    available: ['Rex'],
  },
}

/** The arguments of each import in a page, except one with `--watch`, which does not end. */
function importsIn(page: string): string[][] {
  const text = readFileSync(new URL(`docs/move-in/${page}.md`, ROOT), 'utf8')
  return [...text.matchAll(/^ {4}adoptable (import .*)$/gm)]
    .map(([, line = '']) =>
      [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
    )
    .filter((args) => !args.includes('--watch'))
}

test('each program has a page about moving in, and each page has a test', () => {
  const pages = globSync('*.md', { cwd: new URL('docs/move-in/', ROOT) }).map((name) => name.slice(0, -3))
  assert.deepEqual(pages.sort(), Object.keys(PAGES).sort())
})

for (const [page, { file, content, available }] of Object.entries(PAGES))
  test(`docs/move-in/${page}.md: its commands import a file, and publish only animals that are offered`, async (t) => {
    const folder = scratchFolder(t)
    writeFileSync(join(folder, file), content)
    const app = await startApp(t, {
      databaseUrl: `sqlite:${join(folder, 'test.db')}`,
      key: { ...UNLIMITED, access: 'admin' },
    })
    await app.post('/v1/organizations', { code: 'OURS', name: 'Ours' })
    await makeKey(app.databaseUrl)
    const imports = importsIn(page)
    assert.ok(imports.length > 0)
    for (const args of [...imports, imports.at(-1) ?? []]) {
      const own = args
        .filter((word) => word !== '--photos')
        .map((word) => (word === file ? join(folder, file) : word))
      const { stderr } = await runCli(t, [...own, '--json'], { DATABASE_URL: app.databaseUrl })
      assert.doesNotMatch(stderr, /error:|unknown option/, args.join(' '))
    }
    const { body } = await app.get('/v1/pets?status=available&fields=*')
    assert.deepEqual(body.map(({ name }: { name: string }) => name).toSorted(), available.toSorted())
  })
