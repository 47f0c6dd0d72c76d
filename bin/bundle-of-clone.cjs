const { createHash } = require('node:crypto')
const {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
} = require('node:fs')
const { join } = require('node:path')

const ROOT = join(__dirname, '..')
const BUNDLES = join(ROOT, 'node_modules', '.cache', 'adoptable')

/** Files outside src/ that decide what is in a bundle. */
const OTHER_SOURCES = ['build.ts', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json']

/** A bundle is removed when no process has started from it for so long: a running service keeps its files. */
const MAX_UNUSED_MS = 30 * 86_400_000

/**
 * The bundle of a clone, built when there is none of the source as it is now. Each state of the source has a
 * folder of its own: processes that start at the same time do not disturb each other, and a running service
 * keeps the files that it has not loaded yet.
 *
 * @returns undefined where the source has to run: the folder may not be written, or the bundler is not
 *   installed, or the source does not compile; and when coverage is measured, which counts lines of the source
 */
module.exports = function bundleOfClone() {
  if (process.env.NODE_V8_COVERAGE) return undefined
  try {
    const bundle = join(BUNDLES, stateOfSource())
    if (!existsSync(bundle)) build(bundle)
    return isUsable(bundle) ? bundle : undefined
  } catch {
    return undefined
  }
}

function build(bundle) {
  const { execFileSync } = require('node:child_process')
  try {
    mkdirSync(BUNDLES, { recursive: true })
    // The bundler runs in a process of its own, which gives its memory back, and without this one's NODE_OPTIONS.
    const { NODE_OPTIONS: _, ...env } = process.env
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), bundle], { env, stdio: 'ignore' })
    removeUnusedBundles()
  } catch {
    // Another process may have built it in the meantime.
  }
}

/**
 * Whether this user may read it, and only this user or the owner of the clone may have written it: nobody else
 * decides what runs here.
 */
function isUsable(bundle) {
  accessSync(join(bundle, 'cli.cjs'), constants.R_OK)
  const { uid, mode } = statSync(bundle)
  const isOwn = process.getuid === undefined || uid === process.getuid() || uid === statSync(ROOT).uid
  if (!isOwn || (process.getuid !== undefined && mode & 0o022)) return false
  try {
    utimesSync(bundle, new Date(), new Date())
  } catch {
    // It belongs to another user, or the disk may only be read.
  }
  return true
}

/** A digest that changes with the name, the size or the time of any file. */
function stateOfSource() {
  const hash = createHash('sha256')
  for (const file of [...OTHER_SOURCES.map((name) => join(ROOT, name)), ...sourcesIn(join(ROOT, 'src'))]) {
    const { size = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

/** All files but those of the tests. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return entry.name === 'testing' ? [] : sourcesIn(path)
    return entry.name.endsWith('.test.ts') ? [] : [path]
  })
}

function removeUnusedBundles() {
  for (const name of readdirSync(BUNDLES)) {
    const bundle = join(BUNDLES, name)
    if (Date.now() - statSync(bundle).mtimeMs > MAX_UNUSED_MS)
      rmSync(bundle, { recursive: true, force: true })
  }
}
