import { readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, resolve } from 'node:path'

/** The source maps of the files that stack traces have named so far. */
const maps = new Map<string, SourceMap | undefined>()

/**
 * Makes stack traces of a bundle name the source. Node's own way (`--enable-source-maps`) reads every map at
 * the start, a tenth of its time; this one reads a map with the first stack trace that needs it.
 */
export function nameSources(): void {
  Error.prepareStackTrace = (error, frames) =>
    [titleOf(error), ...frames.map((frame) => `    at ${inSource(frame)}`)].join('\n')
}

/** As Node writes it, with the code of its own errors. */
function titleOf(error: Error & { code?: unknown }): string {
  const { name, code, message } = error
  if (typeof code === 'string' && code.startsWith('ERR_')) return `${name} [${code}]: ${message}`
  try {
    return String(error)
  } catch {
    // Anything can be given a stack, also an object without a text.
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

/** Packages outside the bundle have none. */
function read(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined
  }
}
