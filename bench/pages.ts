import { join } from 'node:path'
import { ANY } from './answers.ts'
import { BARE, type Contestant, compete, type Sending } from './contest.ts'
import { type Comparison, closing, type Setup, setup, summarise, table, whole } from './report.ts'
import { ask, type Door, type Recorded, record, unseen } from './requests.ts'
import { type Filled, fillStore } from './search-store.ts'
import { makeKey, memoryOf, runCommand, startBare, startService } from './servers.ts'
import type { Options } from './speed.ts'
import { measureViews, type Views, viewsReport } from './views.ts'

// What pages for people cost: the server beside a bare one that sends the same bytes, and a browser on a phone.

const OWN = 'adoptable'
const ASKED = 'gallery, the same page'
const UNASKED = 'gallery, pages never asked before'
const ANIMAL = 'animal pages never asked before'

/** What is measured, and how much of the bare server is to be reached. */
const MEASUREMENTS: Record<string, number | undefined> = {
  [ASKED]: 0.5,
  [UNASKED]: 0.15,
  [ANIMAL]: undefined,
}

/** A load that asks for each once gets through fewer in its time. */
const MOST_PAGES = 2_000
/** The longest page with 24 animals, and the shortest of an animal, are within this. */
const PAGE_BYTES = { shortest: 1_000, longest: 200_000 }

export interface Pages {
  setup: Setup
  animals: number
  filled: Filled
  comparisons: Comparison[]
  memoryMb: number | undefined
  views?: Views
}

export async function measurePages(options: Options & { animals: number }, folder: string): Promise<Pages> {
  const store = { databaseUrl: `sqlite:${join(folder, 'pages.db')}`, settings: VISITORS }
  const filled = await fillStore(store.databaseUrl, options.animals)
  const key = await makeKey(store)
  const service = await startService(store)
  const own = gallery({ port: service.port, key }, service.pid, service.stop)
  const bare = await startBare()
  const measurements = Object.keys(MEASUREMENTS)
  const measured = await compete({ ...options, bare, contestants: [own], measurements })
  const { peakMb: memoryMb } = memoryOf(service.pid)
  await Promise.all([bare.stop(), service.stop()])
  const reach = (name: string, who: string) => (who === BARE ? undefined : MEASUREMENTS[name])
  const comparisons = summarise(measured, BARE, 'speed', reach)

  const demo = { databaseUrl: `sqlite:${join(folder, 'demo.db')}`, settings: VISITORS }
  await makeKey(demo)
  await runCommand(demo, ['demo'], { patienceMs: DRAWING_MS })
  const link = await runCommand(demo, ['staff', 'add', ...ACCOUNT])
  const shown = await startService(demo)
  const views = await measureViews(shown.port, new URL(link).pathname, options.rounds)
  await shown.stop()
  const { rounds, seconds, animals } = options
  return { setup: setup(rounds, seconds), animals, filled, comparisons, memoryMb, ...(views && { views }) }
}

const ACCOUNT = ['--email', 'bench@shelter.example', '--name', 'Bench', '--role', 'staff']

/** The demo draws a dozen photos. */
const DRAWING_MS = 120_000

/** Visitors have limits that are counted as always, and never reached. */
export const VISITORS = { ANONYMOUS_PER_MINUTE: '1000000000', ANONYMOUS_PER_DAY: '1000000000' }

function gallery(door: Door, pid: number | undefined, stop: () => Promise<void>): Contestant {
  let walked: Promise<Walked> | undefined
  const neverAsked = async (pick: (walked: Walked) => string[]): Promise<Sending> => {
    walked ??= walk(door)
    const paths = pick(await walked)
    const [example] = await recordAsVisitor(door, paths.slice(0, 1))
    // A commit, after which every page has to be made anew.
    await record(door, [
      { method: 'PATCH', path: '/v1/pets/1', body: JSON.stringify({ name: String(performance.now()) }) },
    ])
    const exchanges = unseen({ port: door.port }, paths.map(pageAt), 0).map((one) => ({
      ...one,
      ...PAGE_BYTES,
    }))
    return { exchanges, once: true, answers: example ? { [ANY]: example.answer } : {} }
  }
  const sendings: Record<string, () => Promise<Sending>> = {
    [ASKED]: async () => {
      const exchanges = await recordAsVisitor(door, ['/animals'])
      const [{ answer } = {}] = exchanges
      return { exchanges, answers: answer ? { [ANY]: answer } : {} }
    },
    [UNASKED]: () => neverAsked(({ lists }) => lists),
    [ANIMAL]: () => neverAsked(({ animals }) => animals),
  }
  return {
    ...{ name: OWN, port: door.port, pid, stop },
    prepare: async (measurement) => sendings[measurement]?.(),
  }
}

const pageAt = (path: string) => ({ method: 'GET', path, headers: { Accept: 'text/html' } }) as const

const recordAsVisitor = ({ port }: Door, paths: string[]): Promise<Recorded[]> =>
  record({ port }, paths.map(pageAt))

interface Walked {
  lists: string[]
  animals: string[]
}

/** From the first page of the gallery on, as somebody goes who always wants more. */
async function walk(door: Door): Promise<Walked> {
  const walked: Walked = { lists: [], animals: [] }
  let path = '/animals'
  while (path && walked.lists.length < MOST_PAGES) {
    const text = await (await ask({ port: door.port }, pageAt(path))).text()
    walked.lists.push(path)
    for (const [, found = ''] of text.matchAll(/<h[23][^>]*><a href="(\/animals\/[^"]*)"/g))
      walked.animals.push(found)
    const [, next = ''] = /<a [^>]*rel="next" href="([^"]*)"/.exec(text) ?? []
    path = next.replaceAll('&amp;', '&')
  }
  return { ...walked, animals: walked.animals.slice(0, MOST_PAGES) }
}

export function pagesReport({ animals, comparisons, memoryMb, setup, views }: Pages): string {
  return [
    ...table(comparisons, 'speed'),
    '',
    `Speed is of ${BARE}, which sends the same bytes; ${whole(animals)} animals. Resident memory of adoptable: ` +
      `${whole(memoryMb)} MB at its peak.`,
    '',
    ...(views ? viewsReport(views) : ['  skipped: views in a browser, without Chromium']),
    '',
    ...closing(setup),
  ].join('\n')
}
