import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { EMAIL, LINES, ONE_LINE } from '../src/http/text.ts'
import { reached } from '../torture/lab/rounds.ts'

/** What the package recheck says of a pattern. */
interface Judgement {
  status: 'safe' | 'vulnerable' | 'unknown'
  complexity?: { summary: string }
  attack?: { pattern: string }
}
type Judge = (source: string, flags: string, options: { timeout: number }) => Judgement

// In JavaScript alone: the same everywhere, without a program of another kind.
process.env.RECHECK_BACKEND = 'pure'
const judge: Judge | undefined = await import(resolve('checks/tools/node_modules/recheck/lib/main.js'))
  .then(({ checkSync }) => checkSync)
  .catch(() => undefined)

/**
 * Of json-body.ts: they take long on a string without an end, which is in no text that JSON.parse took before.
 * The bombs hold such texts.
 */
const ONLY_ON_JSON = [
  String.raw`"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]`,
  String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`,
]

const PATIENCE_MS = 20_000
/** Where in a source a pattern may begin, so that no division is taken for one; and the pattern. */
const LITERAL = /(?<=[(=:,[!&|?{;]\s*)\/(?![*/])((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/g

/** The patterns of all sources. */
function patterns(): Map<string, RegExp> {
  const found = new Map<string, RegExp>(
    [EMAIL, LINES, ONE_LINE].map((source) => [source, new RegExp(source, 'u')]),
  )
  const sources = globSync('src/**/*.ts').filter((file) => !/\.test\.ts$|src\/testing/.test(file))
  for (const file of sources) {
    const text = readFileSync(file, 'utf8').replaceAll(/^\s*(\/\/|\*|\/\*).*/gm, '')
    for (const [, source = '', flags] of text.matchAll(LITERAL)) found.set(source, new RegExp(source, flags))
  }
  for (const { pattern } of mediaTypes()) found.set(pattern.source, pattern)
  return found
}

/** Put together from pieces in read-body.ts: as it comes out there. */
function mediaTypes(): { pattern: RegExp }[] {
  const text = readFileSync('src/faces/native/read-body.ts', 'utf8')
  const pieces = /const TOKEN[\s\S]*?const MEDIA_TYPE = (new RegExp\([\s\S]*?\n\))/.exec(text)
  assert.ok(pieces, 'read-body.ts does not make its pattern as it did')
  return [{ pattern: new Function(`${pieces[0]}; return MEDIA_TYPE`)() }]
}

test('no pattern takes more time than a small multiple of its text', {
  skip: !judge && 'not installed: npm ci --prefix checks/tools',
}, (t) => {
  assert.ok(judge)
  assert.equal(judge('^(a+)+$', '', { timeout: PATIENCE_MS }).status, 'vulnerable')
  const found = patterns()
  assert.ok(found.size > 30, `only ${found.size} patterns found`)
  for (const source of ONLY_ON_JSON) assert.ok(found.delete(source), `${source} is not there any more`)
  const faults = [...found.values()].flatMap(({ source, flags }) => {
    const { status, complexity, attack } = judge(source, flags, { timeout: PATIENCE_MS })
    return status === 'safe'
      ? []
      : [`/${source}/${flags}: ${status} ${complexity?.summary}, ${attack?.pattern}`]
  })
  assert.deepEqual(faults, [])
  reached(t, `${found.size} patterns safe on any text, ${ONLY_ON_JSON.length} on any JSON`)
})
