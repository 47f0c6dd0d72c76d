import pg from 'pg'
import { aligned } from './report.ts'
import { breed, randomFrom, region, skewedAnimals } from './skewed.ts'

// The same animals in what a plain application would have: a b-tree of PostgreSQL for each column.
// Straight in the process, without HTTP: what is left out is in their favour.

const QUESTIONS = 500
const PAGE = 20
const AT_ONCE = 1_000

export interface Beside {
  kind: string
  fillSeconds: number
  p50Ms: number
  p99Ms: number
  worstMs: number
  worst: string
}

const COLUMNS = ['breed', 'region', 'sex', 'size', 'coat', 'species', 'status', 'color', 'tag'] as const
type Filters = Partial<Record<(typeof COLUMNS)[number], string>>

/** Two to four filters, newest first; the planner chooses among an index for each and one for the order. */
export async function besideBTrees(url: string, count: number): Promise<Beside> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const begun = performance.now()
    await fillTable(client, count)
    const fillSeconds = (performance.now() - begun) / 1_000
    const random = randomFrom(13)
    const took: Took[] = []
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const filters = filtersFrom(random)
      const names = Object.keys(filters)
      const where = names.map((name, index) => `${name} = $${index + 1}`).join(' and ')
      const statement = `select id, body from animal where ${where} order by id desc limit ${PAGE}`
      const since = performance.now()
      await client.query(statement, Object.values(filters))
      took.push({ ms: performance.now() - since, what: JSON.stringify(filters) })
    }
    return { kind: "PostgreSQL's planner over b-trees, filters", fillSeconds, ...spreadOf(took) }
  } finally {
    await client.end()
  }
}

async function fillTable(client: pg.Client, count: number): Promise<void> {
  const columns = COLUMNS.map((name) => `${name} text`).join(', ')
  await client.query(`create table animal (id bigint primary key, body text not null, ${columns})`)
  const animals = skewedAnimals(count)
  for (let from = 0; from < count; from += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, index) => {
      const pet = animals.next().value as Exclude<ReturnType<typeof animals.next>['value'], undefined>
      return {
        ...{ id: from + index + 1, body: JSON.stringify(pet), breed: pet.breed?.primary },
        ...{ region: pet.place?.region, sex: pet.sex, size: pet.size, coat: pet.coat },
        ...{ species: pet.species, status: pet.status, color: pet.colors?.[0], tag: pet.tags?.[0] },
      }
    })
    await client.query(
      `insert into animal select * from json_to_recordset($1) as row (id bigint, body text, ${columns})`,
      [JSON.stringify(rows)],
    )
  }
  for (const name of COLUMNS) await client.query(`create index on animal (${name}, id)`)
  await client.query('analyze animal')
}

function filtersFrom(random: () => number): Filters {
  const rank = (most: number) => Math.floor(random() ** 3 * most)
  const sexes = ['female', 'male', 'unknown']
  return {
    ...(random() < 0.6 && { breed: breed(rank(300)) }),
    ...(random() < 0.5 && { region: region(rank(60)) }),
    sex: sexes[rank(3)] as string,
    coat: ['short', 'medium', 'long'][rank(3)] as string,
  }
}

interface Took {
  ms: number
  what: string
}

function spreadOf(took: Took[]): Pick<Beside, 'p50Ms' | 'p99Ms' | 'worstMs' | 'worst'> {
  took.sort((one, other) => one.ms - other.ms)
  const at = (share: number) => took[Math.ceil(took.length * share) - 1]?.ms ?? Number.NaN
  return { p50Ms: at(0.5), p99Ms: at(0.99), worstMs: at(1), worst: took.at(-1)?.what ?? '' }
}

export function besideReport(beside: Beside[]): string {
  const titles = ['beside, without HTTP', 'filled in s', 'p50 ms', 'p99 ms', 'worst ms']
  const rows = beside.map(({ kind, fillSeconds, p50Ms, p99Ms, worstMs }) => [
    ...[`  ${kind}`, fillSeconds.toFixed(0), p50Ms.toFixed(2), p99Ms.toFixed(2), worstMs.toFixed(1)],
  ])
  return [
    ...aligned([titles, ...rows]),
    'Meilisearch and Typesense were not to be had, and are not beside.',
  ].join('\n')
}
