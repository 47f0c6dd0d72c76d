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

/** Files outside src/ that affect the bundle. */
const OTHER_SOURCES = ['build.ts', 'package.json', 'package-lock.json', 'node_modules/.package-lock.json']

/** A bundle stays for this long after the last start from it, because a running service may use it. */
const MAX_UNUSED_MS = 30 * 86_400_000

/**
 * Returns the bundle of a clone, and builds it if the source has changed. Each state of the source has its
 * own folder, so a running service keeps the files that it has not loaded yet.
 *
 * @returns undefined if the source has to run instead: the folder is not writable, the bundler is not
 *   installed, the source does not compile, or coverage is measured, which counts lines of the source
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
    // A separate process, so its memory is free afterwards. NODE_OPTIONS are only for the service.
    const { NODE_OPTIONS: _, ...env } = process.env
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), bundle], { env, stdio: 'ignore' })
    removeUnusedBundles()
  } catch {
    // Another process may have built it in the meantime.
  }
}

/**
 * Whether this user may read the bundle, and only this user or the owner of the clone could have written it.
 * Nobody else may decide which code runs.
 */
function isUsable(bundle) {
  accessSync(join(bundle, 'cli.cjs'), constants.R_OK)
  const { uid, mode } = statSync(bundle)
  const isOwn = process.getuid === undefined || uid === process.getuid() || uid === statSync(ROOT).uid
  if (!isOwn || (process.getuid !== undefined && mode & 0o022)) return false
  try {
    utimesSync(bundle, new Date(), new Date())
  } catch {
    // The bundle belongs to another user, or the disk is read-only.
  }
  return true
}

/** A hash of the names, sizes and times of all files. */
function stateOfSource() {
  const hash = createHash('sha256')
  for (const file of [...OTHER_SOURCES.map((name) => join(ROOT, name)), ...sourcesIn(join(ROOT, 'src'))]) {
    const { size = 0, mtimeMs = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

/** All files except those of tests. */
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
