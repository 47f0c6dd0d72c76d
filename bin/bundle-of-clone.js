import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
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
export function bundleOfClone() {
  if (process.env.NODE_V8_COVERAGE) return undefined
  const bundle = join(BUNDLES, stateOfSource())
  if (existsSync(bundle)) return bundle
  try {
    mkdirSync(BUNDLES, { recursive: true })
    // A process of its own: what the bundler takes of the memory ends with it.
    const { NODE_OPTIONS: _, ...env } = process.env
    execFileSync(process.execPath, [join(ROOT, 'build.ts'), bundle], { env, stdio: 'ignore' })
    removeOld()
    return bundle
  } catch {
    // A process that started at the same time may have built it.
    return existsSync(bundle) ? bundle : undefined
  }
}

/** Changes with the name, the size and the time of every file. */
function stateOfSource() {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true })
    .filter((file) => /\.\w+$/.test(file) && !/\.test\.ts$|^testing\b/.test(file))
    .map((file) => join('src', file))
  const hash = createHash('sha256')
  for (const file of [...OTHER_SOURCES, ...sources.sort()]) {
    const { size, mtimeMs } = statSync(join(ROOT, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}

function removeOld() {
  const bundles = readdirSync(BUNDLES).map((name) => join(BUNDLES, name))
  const byAge = bundles
    .map((path) => ({ path, mtimeMs: statSync(path).mtimeMs }))
    .sort((one, other) => other.mtimeMs - one.mtimeMs)
  for (const { path } of byAge.slice(MAX_BUNDLES)) rmSync(path, { recursive: true, force: true })
}
