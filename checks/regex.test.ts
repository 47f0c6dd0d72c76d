import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { EMAIL, MULTILINE, ONE_LINE } from '../src/http/text.ts'
import { reportFigure } from '../torture/lab/rounds.ts'

/** Result of the package recheck for a pattern. */
interface Analysis {
  status: 'safe' | 'vulnerable' | 'unknown'
  complexity?: { summary: string }
  attack?: { pattern: string }
}
type Analyzer = (source: string, flags: string, options: { timeout: number }) => Analysis

// The backend in pure JavaScript gives the same results everywhere.
process.env.RECHECK_BACKEND = 'pure'
const analyze: Analyzer | undefined = await import(resolve('checks/tools/node_modules/recheck/lib/main.js'))
  .then(({ checkSync }) => checkSync)
  .catch(() => undefined)

/** Patterns of json-body.ts. They are slow on unterminated strings, which JSON.parse has rejected before. */
const ONLY_ON_JSON = [
  String.raw`"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]`,
  String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`,
]

const TIMEOUT_MS = 20_000
/** A pattern in source text, after a character that cannot precede a division. */
const LITERAL = /(?<=[(=:,[!&|?{;]\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

/** All patterns in the sources. */
function patterns(): Map<string, RegExp> {
  const found = new Map<string, RegExp>(
    [EMAIL, MULTILINE, ONE_LINE].map((source) => [source, new RegExp(source, 'u')]),
  )
  const sources = globSync('src/**/*.ts').filter((file) => !/\.test\.ts$|src\/testing/.test(file))
  for (const file of sources) {
    const text = readFileSync(file, 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*).*/gm, '')
    for (const [, source = '', flags] of text.matchAll(LITERAL)) found.set(source, new RegExp(source, flags))
  }
  for (const { pattern } of mediaTypes()) found.set(pattern.source, pattern)
  return found
}

/** The pattern that face.ts builds from parts. */
function mediaTypes(): { pattern: RegExp }[] {
  const text = readFileSync('src/faces/native/face.ts', 'utf8')
  const pieces = /const TOKEN[\s\S]*?const MEDIA_TYPE = (new RegExp\([\s\S]*?\n\))/.exec(text)
  assert.ok(pieces, 'face.ts builds its pattern differently now')
  return [{ pattern: new Function(`${pieces[0]}; return MEDIA_TYPE`)() }]
}

test('every pattern takes linear time', {
  skip: !analyze && 'not installed: npm ci --prefix checks/tools',
}, (t) => {
  assert.ok(analyze)
  assert.equal(analyze('^(a+)+$', '', { timeout: TIMEOUT_MS }).status, 'vulnerable')
  const found = patterns()
  assert.ok(found.size > 30, `only ${found.size} patterns found`)
  for (const source of ONLY_ON_JSON) assert.ok(found.delete(source), `${source} does not exist any more`)
  const faults = [...found.values()].flatMap(({ source, flags }) => {
    const { status, complexity, attack } = analyze(source, flags, { timeout: TIMEOUT_MS })
    return status === 'safe'
      ? []
      : [`/${source}/${flags}: ${status} ${complexity?.summary}, ${attack?.pattern}`]
  })
  assert.deepEqual(faults, [])
  reportFigure(t, `${found.size} patterns safe on any text, ${ONLY_ON_JSON.length} on any JSON`)
})
