import { decodeHTMLStrict } from 'entities'

/** Maximum length of a text whose HTML is parsed. Longer texts are refused anyway. */
const MAX_MARKED = 100_000

/** A character reference by number or name. The longest name has 31 letters. */
const ENTITY = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});/gi
const TAG = /<\/?([a-z][a-z0-9:]*)((?:[\s/][^<>]{0,2000})?)>/gi
const BLOCKS = 'br p div li ul ol tr table blockquote h1 h2 h3 h4 h5 h6'.split(' ')
const TAGS = new Set([
  ...BLOCKS,
  ...'a abbr b big body center cite code dd del dl dt em figure font form head hr html i iframe img ins'.split(
    ' ',
  ),
  ...'label link main meta o:p pre q s section small span strike strong sub sup tbody td tfoot th'.split(' '),
  ...'thead title tt u'.split(' '),
])

/** Removes a tag of HTML, but not "a<b and c>d" or an address in angle brackets. */
function replaceTag(whole: string, name: string, attributes: string): string {
  const isTag = TAGS.has(name.toLowerCase()) && (attributes.includes('=') || !/[^\s/]/.test(attributes))
  if (!isTag) return whole
  return BLOCKS.includes(name.toLowerCase()) ? '\n' : ''
}

/** Converts HTML to text, with line breaks for blocks; trims other text. Escape the result for display. */
export function plainText(source: string): string {
  if (source.length > MAX_MARKED || !/[<&\r]/.test(source)) return source.trim()
  const unmarked = removeInvisible(source).replaceAll(TAG, replaceTag)
  const once = unmarked.replaceAll(ENTITY, decodeEntity)
  // Some programs escape a text that is already HTML.
  const twice = /&amp;#?[a-z0-9]+;/i.test(unmarked) ? once.replaceAll(ENTITY, decodeEntity) : once
  const decoded = unmarked === source ? twice.replaceAll(TAG, replaceTag) : twice
  // A run of line breaks is shortened first, because splitting it into lines would take long.
  const lines = decoded.replaceAll(/(?:\r\n?|\n){3,}/g, '\n\n').split(/\r\n?|\n/)
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const INVISIBLE = /<(?:(script|style)\b|!--)/gi
const ENDS = new Map([
  ['', /-->/g],
  ['script', /<\/script\s*>/gi],
  ['style', /<\/style\s*>/gi],
])

/** Removes comments, scripts and styles. Searches for a missing end tag only once, to stay linear. */
function removeInvisible(source: string): string {
  const seen: string[] = []
  const endless = new Set<string>()
  let from = 0
  for (const { index, 1: name = '' } of source.matchAll(INVISIBLE)) {
    const kind = name.toLowerCase()
    if (index < from || endless.has(kind)) continue
    const end = findEnd(source, kind, index)
    if (end === undefined) endless.add(kind)
    else {
      seen.push(source.slice(from, index))
      from = end
    }
  }
  return [...seen, source.slice(from)].join('')
}

function findEnd(source: string, kind: string, begun: number): number | undefined {
  const end = ENDS.get(kind)
  const inside = kind === '' ? begun + '<!--'.length : source.indexOf('>', begun)
  if (!end || inside < 0) return undefined
  end.lastIndex = inside
  return end.test(source) ? end.lastIndex : undefined
}

function decodeEntity(whole: string): string {
  const lower = whole.toLowerCase()
  // Some programs write everything in capitals: "NI&NTILDE;A".
  const spellings = [whole, whole.slice(0, 2) + lower.slice(2), lower]
  const text = spellings.map((one) => decodeHTMLStrict(one)).find((text, at) => text !== spellings[at])
  if (text === '\u00a0') return ' '
  // A number that is not a character.
  return text === '\uFFFD' ? '' : (text ?? whole)
}
