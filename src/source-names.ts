import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'

/** Source maps by file. The value is undefined for a file without a map. */
const maps = new Map<string, SourceMap | undefined>()

/**
 * Makes stack traces of a bundle name the source files. Node's own `--enable-source-maps` reads every map at
 * the start, which takes a tenth of its time. This reads a map only when a stack trace needs it.
 */
export function useSourceNames(): void {
  Error.prepareStackTrace = (error, frames) =>
    [titleOf(error), ...frames.map((frame) => `    at ${inSource(frame)}`)].join('\n')
}

/** The first line of a stack, as Node writes it. */
function titleOf(error: Error & { code?: unknown }): string {
  const { name, code, message } = error
  if (typeof code === 'string' && code.startsWith('ERR_')) return `${name} [${code}]: ${message}`
  try {
    return String(error)
  } catch {
    // `Error.captureStackTrace` accepts any object, even one that cannot become a string.
    return 'Error'
  }
}

function inSource(frame: NodeJS.CallSite): string {
  const [file, line, column] = [frame.getFileName(), frame.getLineNumber(), frame.getColumnNumber()]
  const map = file?.endsWith('.cjs') ? mapOf(file) : undefined
  if (!file || !map || line === null || column === null) return String(frame)
  const origin = map.findOrigin(line, column)
  if (!('fileName' in origin)) return String(frame)
  const source = resolve(dirname(file), origin.fileName)
  return String(frame).replace(
    `${file}:${line}:${column}`,
    () => `${source}:${origin.lineNumber}:${origin.columnNumber}`,
  )
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file)) maps.set(file, read(`${file}.map`))
  return maps.get(file)
}

/** @returns undefined if the file has no map, because its package is outside the bundle */
function read(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}

/**
 * Returns the entry file of a thread or process of this program, in the source or in the bundle.
 * @param name the file name without its extension; the file lies next to the module that starts it
 * @param url `import.meta.url` of that module
 */
export function entryOf(name: string, url: string): URL {
  return new URL(`${name}.${url.endsWith('.ts') ? 'ts' : 'cjs'}`, url)
}
