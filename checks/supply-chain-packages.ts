import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

interface LockedPackage {
  version: string
  integrity?: string
  resolved?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  hasInstallScript?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  /** The folder of a workspace. */
  link?: boolean
  workspaces?: string[]
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const NODE_MODULES = 'node_modules/'

export const manifest = readJson('package.json')
const lock: { packages: Record<string, LockedPackage> } = readJson('package-lock.json')

/** All packages by path, without the project and its workspaces. */
export const locked = Object.entries(lock.packages).filter(
  ([place, { link }]) => place.startsWith(NODE_MODULES) && !link,
)

/** Paths of everything that a package needs to run. */
export function listNeeded(name: string, from = '', found = new Set<string>()): Set<string> {
  const place = placeOf(name, from)
  if (place === undefined || found.has(place)) return found
  found.add(place)
  const { dependencies, optionalDependencies } = lock.packages[place] as LockedPackage
  for (const other of Object.keys({ ...dependencies, ...optionalDependencies }))
    listNeeded(other, place, found)
  return found
}

/** The path where Node finds a package: next to the package that needs it, or further up. */
function placeOf(name: string, from: string): string | undefined {
  for (let base = from; ; base = base.slice(0, Math.max(0, base.lastIndexOf(`/${NODE_MODULES}`)))) {
    const place = (base === '' ? '' : `${base}/`) + NODE_MODULES + name
    if (lock.packages[place]) return place
    if (base === '') return undefined
  }
}

/** False for builds of other platforms than Linux on x64 with glibc. */
export function isOfOnePlatform(place: string): boolean {
  const { os, cpu, libc } = lock.packages[place] as LockedPackage
  const isFor = (built: string[] | undefined, one: string): boolean => !built || built.includes(one)
  return isFor(os, 'linux') && isFor(cpu, 'x64') && isFor(libc, 'glibc')
}

export function nameAndVersion(place: string): string {
  const name = place.slice(place.lastIndexOf(NODE_MODULES) + NODE_MODULES.length)
  return `${name}@${lock.packages[place]?.version}`
}

interface Bill {
  components: { name: string; version: string; hashes?: unknown[] }[]
}

/**
 * npm's bill of materials in CycloneDX, without development dependencies. They are removed from the files
 * first, because `--omit dev` also omits packages that development needs too, such as pg.
 */
export function billOfMaterials(folder: string): Bill {
  const { devDependencies, workspaces, ...own } = manifest
  const { devDependencies: _, workspaces: __, ...root } = lock.packages[''] as LockedPackage
  const shipped = locked.filter(([, { dev, devOptional }]) => !(dev || devOptional))
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own))
  const packages = { '': root, ...Object.fromEntries(shipped) }
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ ...lock, packages }))
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
  const bill = JSON.parse(run('npm', args, folder))
  if (bill.bomFormat !== 'CycloneDX') throw new Error(`npm made a ${bill.bomFormat}`)
  return bill
}

/** All files that are or will be in the repository. */
export const FILES = run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  .split('\0')
  .filter(Boolean)

/** Copies the repository with its packages. */
export function copyTo(folder: string): void {
  for (const file of FILES) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    copyFileSync(file, join(folder, file))
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
}

/** Builds and packs. @returns the path of the tarball */
export function pack(folder: string): string {
  return join(folder, run('npm', ['pack', '--silent'], folder).trim())
}

/** @returns the program's output */
export function run(program: string, args: string[], cwd = '.'): string {
  const [encoding, stdio] = ['utf8' as const, ['ignore', 'pipe', 'pipe'] as ('ignore' | 'pipe')[]]
  return execFileSync(program, args, { cwd, encoding, stdio, maxBuffer: 2 ** 28, timeout: 120_000 })
}

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'))
}
