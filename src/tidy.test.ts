import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

// The rules of the house (CONTRIBUTING.md), as far as a program can hold them.

const SOURCES = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const TESTS = globSync('src/**/*.test.ts')
const text = (file: string): string => readFileSync(file, 'utf8')

/** Features import each other only where the test below says so. */
const FEATURES = [
  'src/demo',
  'src/transfer',
  'src/applications',
  'src/orders',
  'src/photos',
  'src/inventory',
  'src/pets',
  'src/vocabulary',
  'src/categories',
  'src/organizations',
  'src/staff',
  'src/keys',
]

/** Imports point only down: from a rank to the same one or to one after it. */
const ORDER = [
  ['src/testing'],
  ['src/cli.ts', 'src/cli'],
  ['src/start.ts', 'src/open-limiter.ts', 'src/writer-thread.ts'],
  ['src/changes.ts', 'src/server.ts', 'src/log.ts', 'src/jobs.ts'],
  ['src/faces'],
  FEATURES,
  ['src/jobs'],
  ['src/context.ts'],
  ['src/metrics'],
  ['src/limits'],
  ['src/mail', 'src/photos/storage', 'src/photos/renderer', 'src/search', 'src/places'],
  ['src/http'],
  ['src/db'],
  ['src/config.ts'],
  [
    'src/access.ts',
    'src/plans.ts',
    'src/errors.ts',
    'src/release.ts',
    'src/entry.ts',
    'src/source-names.ts',
    'package.json',
  ],
]

/** The longest place in ORDER that contains a file. */
function placeOf(file: string): string {
  const places = ORDER.flat().filter((place) => file === place || file.startsWith(`${place}/`))
  return places.toSorted((one, other) => other.length - one.length)[0] ?? ''
}

const rank = (file: string): number => ORDER.findIndex((places) => places.includes(placeOf(file)))

function importsOf(file: string): string[] {
  return [...text(file).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )
}

test('every source file has a place in the import order, and imports point down it', () => {
  for (const file of SOURCES) {
    assert.notEqual(rank(file), -1, `${file} has no place in the order of src/tidy.test.ts`)
    for (const imported of importsOf(file)) {
      const inside = rank(imported) === rank(file)
      assert.ok(inside || rank(imported) > rank(file), `${file} imports ${imported}, which stands above it`)
    }
  }
})

test('a command loads no package but its own before it knows what to do', () => {
  const reached = new Set(['src/cli.ts'])
  for (const file of reached) {
    const eager = [...text(file).matchAll(/^(?:import|\}) (?!type\b).*?from '([^']+)'$/gm)].map(
      ([, from = '']) => from,
    )
    for (const from of eager) {
      if (from.startsWith('.')) reached.add(normalize(join(dirname(file), from)))
      else assert.match(from, /^(node:.*|commander|close-with-grace|ipaddr\.js)$/, `${file} loads ${from}`)
    }
  }
})

test('schemas are made by http/type.ts: TypeBox in its place would be loaded by every thread', () => {
  for (const file of SOURCES.filter((one) => one !== 'src/http/type.ts'))
    assert.doesNotMatch(text(file), /from 'typebox'/, file)
})

test('features do not know each other: they meet in server.ts and in the lists', () => {
  // Applications know all that a change of an animal, an order or an application has to check and to change.
  // An animal is of a category, and of an organization. Orders know none of them.
  const known: Record<string, string[]> = {
    // The demo and imports add data of every feature.
    'src/demo': FEATURES,
    'src/transfer': FEATURES.filter((feature) => feature !== 'src/demo'),
    'src/applications': ['src/orders', 'src/photos', 'src/pets', 'src/organizations'],
    'src/photos': ['src/pets', 'src/organizations'],
    'src/vocabulary': ['src/categories'],
    'src/pets': ['src/categories', 'src/organizations'],
    // Whoever signs in acts through a key.
    'src/staff': ['src/keys'],
  }
  for (const file of SOURCES) {
    const own = placeOf(file)
    if (!FEATURES.includes(own)) continue
    for (const imported of importsOf(file)) {
      const other = placeOf(imported)
      const isKnown = !FEATURES.includes(other) || other === own || known[own]?.includes(other)
      assert.ok(isKnown, `${file} imports ${imported}`)
    }
  }
})

/** Whose tables these are: nobody else changes what is in them. */
const OWNERS: Record<string, string[]> = {
  'src/pets': [
    'pet',
    'pet_change',
    'pet_search',
    'pet_tokens',
    'search_change',
    'search_move',
    'search_place',
  ],
  'src/photos': ['photo', 'removed_photo'],
  'src/applications': ['application'],
  'src/orders': ['adoption_order', 'adoption_order_pet', 'known_time'],
  'src/categories': ['category'],
  'src/organizations': ['organization'],
  'src/vocabulary': ['vocabulary'],
  'src/inventory': ['inventory'],
  'src/staff': ['staff', 'staff_session', 'staff_link', 'sign_in_try'],
  'src/keys': ['api_key', 'api_key_secret', 'access_token'],
  'src/limits': ['counter'],
  'src/jobs': ['job'],
  'src/transfer': ['pet_source', 'photo_source', 'imported_file'],
  'src/db': ['secret', 'installation', 'claim', 'idempotency'],
}

/** What one statement has to see together with rows of another owner. */
const READERS: Record<string, string[]> = {
  // A new animal takes its category from the row itself: an unknown one then uses up no id.
  'src/pets': ['category', 'organization'],
  // Each category with its counts, as of one moment.
  'src/inventory': ['category'],
  // People are listed with the code of their organization, and told apart from programs by what they did.
  'src/staff': ['api_key', 'organization'],
  // A key is listed with the code of its organization.
  'src/keys': ['organization'],
  // The doctor looks into a store that nothing serves, whatever its release, and what of it is searched.
  'src/cli': ['api_key', 'job', 'pet', 'pet_search', 'search_change', 'search_move'],
  // What a file lacks is told by whose file it was, and by whose its animals are now.
  'src/transfer': ['pet'],
  // Features may count what they do, so what counts stands below them.
  'src/metrics': ['job'],
}

test('a table is changed by its owner alone, and read by others only where one statement needs it', () => {
  // Moving on all tables is what these are for.
  const free = /^src\/(?:testing|db\/(?:migrations|copy|backup))/
  const built = /(?:insertInto|updateTable|deleteFrom|selectFrom|[a-z]Join)\(\s*'(\w+)'/g
  const written = /\b(?:(?:select|delete)\b[^'"`;]* from|insert into|update|join) (\w+)/g
  const owned = Object.values(OWNERS).flat()
  for (const file of SOURCES.filter((file) => !free.test(file))) {
    const folder = file.split('/').slice(0, 2).join('/')
    const statements = [...text(file).matchAll(built), ...text(file).matchAll(written)]
    for (const [statement, table = ''] of statements) {
      if (!owned.includes(table) || OWNERS[folder]?.includes(table)) continue
      const reads = /^(?:select|\w+Join)/.test(statement) && READERS[folder]?.includes(table)
      assert.ok(reads, `${file}: ${statement} is not its table`)
    }
  }
})

test('which engine a store has is asked in one place of a URL, and in one of a query', () => {
  for (const file of SOURCES) {
    if (['src/db/dialect.ts', 'src/db/store-url.ts', 'src/config.ts'].includes(file)) continue
    const asks = /instanceof NodeSqliteAdapter|startsWith\('(?:sqlite|postgres)|\/\^(?:sqlite|postgres)/.exec(
      text(file),
    )
    assert.ok(!asks, `${file}: ${asks?.[0]} is for src/db/dialect.ts or src/db/store-url.ts`)
  }
})

test('no file imports itself over others, tests and types included', () => {
  const seen = new Map<string, 'open' | 'done'>()
  function visit(file: string, way: string[]): void {
    if (seen.get(file) === 'done') return
    assert.notEqual(seen.get(file), 'open', [...way, file].join(' → '))
    seen.set(file, 'open')
    for (const imported of importsOf(file)) if (!imported.includes('src/', 1)) visit(imported, [...way, file])
    seen.set(file, 'done')
  }
  for (const file of [...SOURCES, ...TESTS]) visit(file, [])
})

test('files stay below 400 lines, functions below 80, lines at most 110 characters', () => {
  for (const file of SOURCES) {
    const lines = text(file).split('\n')
    assert.ok(lines.length <= 400, `${file} has ${lines.length} lines: does it hold one thing?`)
    let since: number | undefined
    for (const [index, line] of lines.entries()) {
      // A path or a sentence in quotes may be longer than a line of code.
      assert.ok(
        line.length <= 110 || /['"`]/.test(line),
        `${file}:${index + 1} has ${line.length} characters`,
      )
      if (/^(export )?(default )?(async )?function/.test(line)) since = index
      if (line !== '}' || since === undefined) continue
      assert.ok(index - since < 80, `${file}:${since + 1} is a function of ${index - since} lines`)
      since = undefined
    }
  }
})

test('names: kebab-case files, no barrels, nothing called utils, helpers, common, manager or service', () => {
  for (const file of [...SOURCES, ...TESTS]) {
    const name = basename(file).replace(/(\.slow)?(\.test)?\.ts$/, '')
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/, file)
    assert.doesNotMatch(name, /^(index|utils?|helpers?|common|manager|services?)$/, file)
  }
})

test('no select *, no enum, no decorator, no default export', () => {
  for (const file of SOURCES) {
    assert.doesNotMatch(
      text(file),
      /selectAll\(|select \*|^\s*(export )?(const )?enum |^\s*@\w+\(|export default/m,
      file,
    )
  }
})

test('only the command reads the environment, and only it and the first start write to the terminal', () => {
  for (const file of SOURCES.filter((name) => !/^src\/(cli|testing)/.test(name))) {
    assert.doesNotMatch(text(file), /process\.env|\bconsole\.(?!css|js)\w+\(|process\.std(out|err)/, file)
  }
})

test('time and chance come from one place each: nothing but the start reads the clock of the machine', () => {
  const allowed = /^src\/(cli|testing|start\.ts|http\/parser-errors\.ts|http\/drain\.ts)/
  for (const file of SOURCES.filter((name) => !allowed.test(name))) {
    assert.doesNotMatch(text(file), /Date\.now\(|new Date\(\)|Math\.random/, file)
  }
})

test('tests never sleep, and none is left out', () => {
  for (const file of TESTS.filter((name) => name !== 'src/tidy.test.ts')) {
    assert.doesNotMatch(text(file), /timers\/promises|\b(test|it|describe)\.(only|skip|todo)\(/, file)
  }
})

test('the lock file names no address of a registry, and only listed packages run a script when installed', () => {
  const lock = JSON.parse(text('package-lock.json'))
  const { allowScripts } = JSON.parse(text('package.json'))
  for (const [path, entry] of Object.entries<{
    resolved?: string
    hasInstallScript?: boolean
    optional?: boolean
    link?: boolean
  }>(lock.packages)) {
    // The folder of a workspace.
    if (entry.link) continue
    assert.equal(entry.resolved, undefined, path)
    if (!entry.hasInstallScript || entry.optional) continue
    assert.ok(allowScripts[path.replace('node_modules/', '')], `${path} runs a script`)
  }
})

test('the command and `npm start` run Node with the same flags', () => {
  const [, flags] = /^#!\/usr\/bin\/env -S node (.*)/.exec(text('bin/adoptable.js')) ?? []

  assert.equal(JSON.parse(text('package.json')).scripts.start, `node ${flags} bin/adoptable.js serve`)
})

test('the repository holds no key', () => {
  const files = execFileSync('git', ['ls-files', '-z']).toString().split('\0').filter(Boolean)
  for (const file of files) {
    assert.doesNotMatch(text(file), /adopt_(live|test)_[0-9A-Za-z]{36}/, file)
  }
})

/** What maps, or tells whose programs and files are understood. */
const MAY_NAME = [
  ...[/^src\/faces\/petfinder\//, /^src\/transfer\//, /^src\/faces\/web\/console\/import\//, /\.test\.ts$/],
  ...[/^src\/testing\//, /^checks\//, /^docs\//, /^torture\/upgrade\//, /^README\.md$/, /^CHANGELOG\.md$/],
  /^src\/db\/migrations\/categories\.ts$/,
]
/** Elsewhere it stands where a program written for it is spoken of, and in the way to its face. */
const SPOKEN_OF = /(?:the Petfinder API v2|petfinderFace|faces\/petfinder\/)/g

test('the mark of the API that is no more stands only where its clients are meant, and in no name of ours', () => {
  const files = execFileSync('git', ['ls-files', '-z']).toString().split('\0').filter(Boolean)
  for (const file of files) {
    if (MAY_NAME.some((one) => one.test(file))) continue
    assert.doesNotMatch(text(file).replace(SPOKEN_OF, ''), /petfinder/i, file)
  }
})
