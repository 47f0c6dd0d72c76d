const ENTITIES: Record<string, string> = {
  amp: '&',
  apos: "'",
  bull: '•',
  copy: '©',
  eacute: 'é',
  gt: '>',
  hellip: '…',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  rdquo: '”',
  rsquo: '’',
}

/** A longer text is none that an animal may have, and not worth the search for where its marks end. */
const LONGEST = 100_000

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi
const TAG = /<\/?([a-z][a-z0-9]*)\b[^<>]{0,2000}>/gi
const BLOCKS = new Set([
  'br',
  'p',
  'div',
  'li',
  'ul',
  'ol',
  'tr',
  'table',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
])

/**
 * HTML as text, with line ends where blocks were: what people wrote, without its form. Other text stays
 * as it is, but for spaces at its ends. Whoever shows the result escapes it.
 */
export function plainText(source: string): string {
  if (source.length > LONGEST || !/[<&\r]/.test(source)) return source.trim()
  const unmarked = withoutUnseen(source).replaceAll(TAG, (_, name: string) =>
    BLOCKS.has(name.toLowerCase()) ? '\n' : '',
  )
  const lines = unmarked.replaceAll(ENTITY, characterOf).split(/\r\n?|\n/)
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

const UNSEEN = /<(?:(script|style)\b|!--)/gi
const ENDS = new Map([
  ['', /-->/g],
  ['script', /<\/script\s*>/gi],
  ['style', /<\/style\s*>/gi],
])

/** Without comments, scripts and styles. A missing end is looked for once, and not for each beginning. */
function withoutUnseen(source: string): string {
  const seen: string[] = []
  const endless = new Set<string>()
  let from = 0
  for (const { index, 1: name = '' } of source.matchAll(UNSEEN)) {
    const kind = name.toLowerCase()
    if (index < from || endless.has(kind)) continue
    const end = endOf(source, kind, index)
    if (end === undefined) endless.add(kind)
    else {
      seen.push(source.slice(from, index))
      from = end
    }
  }
  return [...seen, source.slice(from)].join('')
}

function endOf(source: string, kind: string, begun: number): number | undefined {
  const end = ENDS.get(kind)
  const inside = kind === '' ? begun + '<!--'.length : source.indexOf('>', begun)
  if (!end || inside < 0) return undefined
  end.lastIndex = inside
  return end.test(source) ? end.lastIndex : undefined
}

function characterOf(whole: string, digits?: string, hex?: string, name = ''): string {
  if (digits === undefined && hex === undefined) return ENTITIES[name.toLowerCase()] ?? whole
  const code = digits === undefined ? Number.parseInt(hex as string, 16) : Number(digits)
  return code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : ''
}
