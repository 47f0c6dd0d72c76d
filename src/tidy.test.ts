import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

// The house rules of CONTRIBUTING.md that a program can check.

const SOURCES = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
const TESTS = globSync('src/**/*.test.ts')
const text = (file: string): string => readFileSync(file, 'utf8')

/** Features import each other only as the test below allows. */
const FEATURES = [
  'src/demo',
  'src/transfer',
  'src/follow',
  'src/webhooks',
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
  'src/events',
]

/** A file imports only from its own rank or a later one. */
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
  ['src/mail', 'src/photos/storage', 'src/photos/renderer', 'src/search', 'src/places'],
  ['src/limits'],
  ['src/http'],
  ['src/db'],
  ['src/config.ts'],
  ['src/access.ts', 'src/plans.ts', 'src/errors.ts', 'src/release.ts', 'src/source-names.ts', 'package.json'],
]

/** The most specific entry of ORDER that contains a file. */
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

test('imports: every source file has a rank, and imports only from its own rank or a later one', () => {
  for (const file of SOURCES) {
    assert.notEqual(rank(file), -1, `${file} is missing from ORDER in src/tidy.test.ts`)
    for (const imported of importsOf(file)) {
      const inside = rank(imported) === rank(file)
      assert.ok(
        inside || rank(imported) > rank(file),
        `${file} imports ${imported}, which has an earlier rank`,
      )
    }
  }
})

test('imports: the command loads only its own packages before it has parsed its arguments', () => {
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

test('imports: only http/type.ts imports TypeBox, which would take long to load in every thread', () => {
  for (const file of SOURCES.filter((one) => one !== 'src/http/type.ts'))
    assert.doesNotMatch(text(file), /from 'typebox'/, file)
})

test('imports: features import only the features listed here', () => {
  const allowed: Record<string, string[]> = {
    // The demo and imports add data of every feature.
    'src/demo': FEATURES,
    'src/transfer': FEATURES.filter((feature) => feature !== 'src/demo'),
    // Changes of animals, orders and applications check and change data of all three.
    'src/applications': ['src/orders', 'src/photos', 'src/pets', 'src/organizations', 'src/events'],
    'src/orders': ['src/events'],
    'src/webhooks': ['src/events', 'src/organizations'],
    // Copies have categories, organizations and photos.
    'src/follow': ['src/events', 'src/photos', 'src/pets', 'src/categories', 'src/organizations'],
    'src/photos': ['src/pets', 'src/organizations'],
    'src/vocabulary': ['src/categories'],
    'src/pets': ['src/categories', 'src/organizations', 'src/events'],
    'src/categories': ['src/events'],
    'src/organizations': ['src/events'],
    // Staff act through a key.
    'src/staff': ['src/keys'],
  }
  for (const file of SOURCES) {
    const own = placeOf(file)
    if (!FEATURES.includes(own)) continue
    for (const imported of importsOf(file)) {
      const other = placeOf(imported)
      const isAllowed = !FEATURES.includes(other) || other === own || allowed[own]?.includes(other)
      assert.ok(isAllowed, `${file} imports ${imported}`)
    }
  }
})

/** The tables that each folder owns. Other folders do not change their rows. */
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
  'src/applications': ['application', 'outbox'],
  'src/orders': ['adoption_order', 'adoption_order_pet', 'known_time'],
  'src/categories': ['category'],
  'src/organizations': ['organization'],
  'src/vocabulary': ['vocabulary'],
  'src/inventory': ['inventory'],
  'src/staff': ['staff', 'staff_session', 'staff_link', 'sign_in_try'],
  'src/events': ['event', 'event_log'],
  'src/webhooks': ['webhook', 'delivery'],
  'src/follow': ['followed', 'followed_pet'],
  'src/keys': ['api_key', 'api_key_secret', 'access_token'],
  'src/limits': ['counter'],
  'src/jobs': ['job'],
  'src/transfer': ['pet_source', 'photo_source'],
  'src/db': ['secret', 'installation', 'claim', 'idempotency'],
}

/** The tables of other owners that a folder may read, because one statement needs both. */
const READERS: Record<string, string[]> = {
  // The insert of an animal selects its category, so an unknown category uses up no id.
  'src/pets': ['category', 'organization'],
  // Lists each category with its counts in one snapshot, and adds up animals and applications for statistics.
  'src/inventory': ['application', 'category', 'pet'],
  // Lists people with the code of their organization, and distinguishes them from programs.
  'src/staff': ['api_key', 'organization'],
  // Lists keys with the code of their organization.
  'src/keys': ['organization'],
  // The doctor examines a store of any release, including the search index.
  'src/cli': [
    'api_key',
    'delivery',
    'followed',
    'job',
    'outbox',
    'pet',
    'pet_search',
    'search_change',
    'search_move',
    'webhook',
  ],
  // Reports the animals missing in a file by the present organization of the animals.
  'src/transfer': ['pet'],
  // Deliveries are made of events.
  'src/webhooks': ['event'],
  // A scrub reads the flag that the files may contain erased data.
  'src/db': ['known_time'],
  // Metrics are below the features, because features count events.
  'src/metrics': ['delivery', 'followed', 'job', 'outbox', 'webhook'],
}

test('SQL: only the owner of a table changes it, and only the listed folders read it', () => {
  // These files work on all tables.
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
      assert.ok(reads, `${file}: ${statement} is a table of another owner`)
    }
  }
})

test('SQL: only db/dialect.ts and db/store-url.ts check which engine is used', () => {
  for (const file of SOURCES) {
    if (['src/db/dialect.ts', 'src/db/store-url.ts', 'src/config.ts'].includes(file)) continue
    const found =
      /instanceof NodeSqliteAdapter|startsWith\('(?:sqlite|postgres)|\/\^(?:sqlite|postgres)/.exec(text(file))
    assert.ok(!found, `${file}: ${found?.[0]} belongs in src/db/dialect.ts or src/db/store-url.ts`)
  }
})

test('imports: no file takes part in a cycle, including tests and types', () => {
  const states = new Map<string, 'open' | 'done'>()
  function visit(file: string, path: string[]): void {
    if (states.get(file) === 'done') return
    assert.notEqual(states.get(file), 'open', [...path, file].join(' → '))
    states.set(file, 'open')
    for (const imported of importsOf(file))
      if (!imported.includes('src/', 1)) visit(imported, [...path, file])
    states.set(file, 'done')
  }
  for (const file of [...SOURCES, ...TESTS]) visit(file, [])
})

test('size: files have up to 400 lines, functions up to 80 lines, lines up to 110 characters', () => {
  for (const file of SOURCES) {
    const lines = text(file).split('\n')
    assert.ok(lines.length <= 400, `${file} has ${lines.length} lines; split it by topic`)
    let since: number | undefined
    for (const [index, line] of lines.entries()) {
      // Lines with a string may be longer.
      assert.ok(
        line.length <= 110 || /['"`]/.test(line),
        `${file}:${index + 1} has ${line.length} characters`,
      )
      if (/^(export )?(default )?(async )?function/.test(line)) since = index
      if (line !== '}' || since === undefined) continue
      assert.ok(index - since < 80, `${file}:${since + 1}: the function has ${index - since} lines`)
      since = undefined
    }
  }
})

test('file names are in kebab-case, and are not index, utils, helpers, common, manager or service', () => {
  for (const file of [...SOURCES, ...TESTS]) {
    const name = basename(file).replace(/(\.slow)?(\.test)?\.ts$/, '')
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*$/, file)
    assert.doesNotMatch(name, /^(index|utils?|helpers?|common|manager|services?)$/, file)
  }
})

test('the source has no select *, no enum, no decorator and no default export', () => {
  for (const file of SOURCES) {
    assert.doesNotMatch(
      text(file),
      /selectAll\(|select \*|^\s*(export )?(const )?enum |^\s*@\w+\(|export default/m,
      file,
    )
  }
})

test('environment and terminal: only src/cli uses them', () => {
  for (const file of SOURCES.filter((name) => !/^src\/(cli|testing)/.test(name))) {
    assert.doesNotMatch(text(file), /process\.env|\bconsole\.(?!css|js)\w+\(|process\.std(out|err)/, file)
  }
})

test('clock and random numbers: only the start reads the clock of the machine, and nothing uses Math.random', () => {
  const allowed = /^src\/(cli|testing|start\.ts|http\/parser-errors\.ts|http\/drain\.ts)/
  for (const file of SOURCES.filter((name) => !allowed.test(name))) {
    assert.doesNotMatch(text(file), /Date\.now\(|new Date\(\)|Math\.random/, file)
  }
})

test('tests use no sleep, only, skip or todo', () => {
  for (const file of TESTS.filter((name) => name !== 'src/tidy.test.ts')) {
    assert.doesNotMatch(text(file), /timers\/promises|\b(test|it|describe)\.(only|skip|todo)\(/, file)
  }
})

const EVERYTHING = globSync(['{src,torture,bench,checks}/**/*.ts', 'client/{*,src/**/*}.ts'])
/** Bare participles do not say what a type is. */
const PARTICIPLES =
  'Added|Asked|Changed|Counted|Filled|Found|Given|Held|Judged|Kept|Known|Listed|Made|Moved|Named|Needed|Offered|' +
  'Picked|Read|Received|Rendered|Seen|Sent|Shown|Stored|Taken|Told|Tried|Typed|Uploaded|Wanted|Written'
const UNCLEAR_NAME = new RegExp(
  `\\b(?:MOST|LEAST)_[A-Z]|_AT_ONCE\\b|\\b(?:interface|type|class) (?:${PARTICIPLES})\\b|` +
    '\\b(?:const|let|function) (?:asked|told|kept|known|wanted|walk)\\b|\\b(?:asked|told|kept|wanted)\\??:',
)
const FRONTED_COMMENT = /^\s*(?:\/\*\*|\*|\/\/) (?:Of|Where|Who|Whoever|Whose|What)\b/m
/** Words for which the project uses plainer ones: again, during, someone, so, until then, repair, decide. */
const UNPLAIN_WORD =
  /\b(?:anew|beside|whoever|somebody|so that|meanwhile|in vain|mend(?:s|ed|ing)?|judge[sd]?|in the place of)\b/i
const DOCUMENTS = globSync(['*.md', '{docs,client,bench,torture,checks}/**/*.md', '.env.example', 'deploy/*'])

test('names are standard terms: constants use MAX_ and MIN_, types are nouns; comments begin with their subject', () => {
  for (const file of EVERYTHING.filter((name) => !/node_modules|^src\/tidy\.test\.ts$/.test(name))) {
    assert.doesNotMatch(text(file), UNCLEAR_NAME, file)
    assert.doesNotMatch(text(file), FRONTED_COMMENT, file)
  }
})

test('code and documents use plain words', () => {
  for (const file of [...EVERYTHING, ...DOCUMENTS].filter(
    (name) => !/node_modules|^src\/tidy\.test\.ts$/.test(name),
  ))
    assert.doesNotMatch(text(file), UNPLAIN_WORD, file)
})

test('package-lock.json has no registry addresses, and only packages in allowScripts run an install script', () => {
  const lock = JSON.parse(text('package-lock.json'))
  const { allowScripts } = JSON.parse(text('package.json'))
  for (const [path, entry] of Object.entries<{
    resolved?: string
    hasInstallScript?: boolean
    optional?: boolean
    link?: boolean
  }>(lock.packages)) {
    // This package is a workspace.
    if (entry.link) continue
    assert.equal(entry.resolved, undefined, path)
    if (!entry.hasInstallScript || entry.optional) continue
    assert.ok(allowScripts[path.replace('node_modules/', '')], `${path} runs a script`)
  }
})

test('bin/adoptable.js and `npm start` use the same Node flags', () => {
  const [, flags] = /^#!\/usr\/bin\/env -S node (.*)/.exec(text('bin/adoptable.js')) ?? []

  assert.equal(JSON.parse(text('package.json')).scripts.start, `node ${flags} bin/adoptable.js serve`)
})

test('the repository contains no API key', () => {
  const files = execFileSync('git', ['ls-files', '-z']).toString().split('\0').filter(Boolean)
  for (const file of files) {
    assert.doesNotMatch(text(file), /adopt_(live|test)_[0-9A-Za-z]{36}/, file)
  }
})

/** Files that may contain the trademark, because they map its data or name its clients. */
const MAY_NAME = [
  ...[/^src\/faces\/petfinder\//, /^src\/transfer\//, /^src\/faces\/web\/console\/import\//, /\.test\.ts$/],
  ...[/^src\/testing\//, /^checks\//, /^docs\//, /^torture\/upgrade\//, /^README\.md$/, /^CHANGELOG\.md$/],
  /^src\/db\/migrations\/categories\.ts$/,
]
/** Allowed everywhere: the name of the API, and the path of its face. */
const ALLOWED_PHRASES = /(?:the Petfinder API v2|petfinderFace|faces\/petfinder\/)/g

test('the trademark "Petfinder" appears only where its API or clients are meant', () => {
  const files = execFileSync('git', ['ls-files', '-z']).toString().split('\0').filter(Boolean)
  for (const file of files) {
    if (MAY_NAME.some((one) => one.test(file))) continue
    assert.doesNotMatch(text(file).replace(ALLOWED_PHRASES, ''), /petfinder/i, file)
  }
})
