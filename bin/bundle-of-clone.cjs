const { createHash } = require('node:crypto')
const { existsSync, mkdirSync, readdirSync, rmSync, statSync } = require('node:fs')
const { join } = require('node:path')

const ROOT = join(__dirname, '..')
const BUNDLES = join(ROOT, 'node_modules', '.cache', 'adoptable')

/** Files outside src/ that decide what is in a bundle. */
const OTHER_SOURCES = ['build.ts', 'package.json', 'package-lock.json']

/** Older bundles stay while a service may still run from them. */
const MAX_BUNDLES = 5

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
  const bundle = join(BUNDLES, stateOfSource())
  if (existsSync(bundle)) return bundle
  const { execFileSync } = require('node:child_process')
  try {
    mkdirSync(BUNDLES, { recursive: true })
    // In a process of its own, so that the memory of the bundler is free again. A hook of this one is not for it.
    const { NODE_OPTIONS: _, ...env } = process.env
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), bundle], { env, stdio: 'ignore' })
    removeOldBundles()
  } catch {
    // Another process may have built it in the meantime.
  }
  return existsSync(bundle) ? bundle : undefined
}

/** Another name, size or time of any file makes another state. */
function stateOfSource() {
  const hash = createHash('sha256')
  for (const file of [...OTHER_SOURCES.map((name) => join(ROOT, name)), ...sourcesIn(join(ROOT, 'src'))]) {
    const { size, mtimeMs } = statSync(file)
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

function removeOldBundles() {
  const bundles = readdirSync(BUNDLES).map((name) => join(BUNDLES, name))
  const builtAt = new Map(bundles.map((bundle) => [bundle, statSync(bundle).mtimeMs]))
  bundles.sort((one, other) => builtAt.get(other) - builtAt.get(one))
  for (const bundle of bundles.slice(MAX_BUNDLES)) rmSync(bundle, { recursive: true, force: true })
}
