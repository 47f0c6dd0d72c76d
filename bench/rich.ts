import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FIRST_CATEGORIES } from '../src/db/migrations/categories.ts'
import { sampleAnimals } from '../src/transfer/sample.ts'
import {
  type Adoptable,
  adoptable,
  CREATE,
  FILTERS,
  SAME_PAGE,
  UNASKED,
  UNASKED_FIELDS,
} from './adoptable.ts'
import { BARE, type Contestant, compete } from './contest.ts'
import { startPeers } from './peers.ts'
import { type Comparison, closing, type Setup, setup, summarise, table, whole } from './report.ts'
import { ANIMALS, addAnimals } from './requests.ts'
import { makeKey, memoryOf, type Service, startBare, startService } from './servers.ts'
import type { Options } from './speed.ts'
import { spread } from './statistics.ts'

// The same as in speed.ts with animals as shelters keep them, of a kilobyte and more: every member has to be
// read, judged, kept and written.

const OWN = 'adoptable'
const PLAIN = 'adoptable, animals with four members'

/** What is measured, and how much of the bare server is to be reached. */
const OF_BARE: Record<string, number | undefined> = {
  [SAME_PAGE]: 0.7,
  [FILTERS]: undefined,
  [UNASKED]: 0.35,
  'find one': undefined,
  [CREATE]: 0.35,
}

/** What is measured beside a service whose animals have four members, and how much of it is to be reached. */
const OF_PLAIN: Record<string, number> = { [UNASKED_FIELDS]: 1 }

/** The longest animal of this bench in an answer, in bytes. */
const LONGEST_ANIMAL = 2_048

export interface Rich {
  setup: Setup
  animalBytes: number
  skipped: string[]
  comparisons: Comparison[]
  memoryMb: number | undefined
}

export async function measureRich(options: Options, folder: string): Promise<Rich> {
  const animals = richAnimals()
  const [newPet = ''] = animals
  const own = await start(OWN, join(folder, 'rich.db'), animals, { newPet, longest: LONGEST_ANIMAL })
  const plain = await start(PLAIN, join(folder, 'plain.db'))
  const file = join(folder, 'rich.ndjson')
  writeFileSync(file, animals.join('\n'))
  const { peers, skipped } = await startPeers(folder, { file, newPet })
  const contestants: Contestant[] = [own, takingPartIn(OF_PLAIN, plain), ...peers]
  const bare = await startBare()
  const measurements = [...Object.keys(OF_BARE), ...Object.keys(OF_PLAIN)]
  const measured = await compete({ ...options, bare, contestants, measurements })
  const { peakMb: memoryMb } = memoryOf(own.pid)
  await Promise.all([bare, ...contestants].map((contestant) => contestant.stop()))
  const beside = (base: string, reaches: Record<string, number | undefined>) => {
    const rounds = new Map([...measured].filter(([name]) => name in reaches))
    return summarise(rounds, base, 'speed', (name, who) => (who === OWN ? reaches[name] : undefined))
  }
  return {
    setup: setup(options.rounds, options.seconds),
    animalBytes: spread(animals.map((animal) => Buffer.byteLength(animal))).median,
    skipped,
    comparisons: [...beside(BARE, OF_BARE), ...beside(PLAIN, OF_PLAIN)],
    memoryMb,
  }
}

/** Those of `adoptable sample`, with descriptions that are twice as long, as shelters write them. */
function richAnimals(): string[] {
  const animals = [...sampleAnimals(ANIMALS)].map((line) => JSON.parse(line))
  return animals.map(({ category, description, ...animal }, index) => {
    const more = animals[(index + ANIMALS / 2) % ANIMALS].description
    const categoryId = 1 + FIRST_CATEGORIES.indexOf(category)
    return JSON.stringify({ ...animal, categoryId, description: `${description}\n${more}` })
  })
}

async function start(
  name: string,
  file: string,
  animals?: string[],
  kind?: { newPet: string; longest: number },
): Promise<Adoptable> {
  const store = { databaseUrl: `sqlite:${file}` }
  const key = await makeKey(store)
  const service: Service = await startService(store)
  await addAnimals({ port: service.port, key }, animals)
  return adoptable(name, service, key, kind)
}

function takingPartIn(reaches: Record<string, number>, contestant: Contestant): Contestant {
  const { prepare } = contestant
  return {
    ...contestant,
    prepare: async (measurement, seconds) =>
      measurement in reaches ? prepare(measurement, seconds) : undefined,
  }
}

export function richReport({ animalBytes, comparisons, memoryMb, skipped, setup }: Rich): string {
  return [
    ...table(comparisons, 'speed'),
    '',
    `Speed is of ${BARE}, which sends the same bytes, and in the last of ${PLAIN};`,
    `${whole(ANIMALS)} animals at the start, of ${whole(animalBytes)} bytes each.`,
    `Resident memory of adoptable: ${whole(memoryMb)} MB at its peak.`,
    ...skipped.map((reason) => `  skipped: ${reason}`),
    '',
    ...closing(setup),
  ].join('\n')
}
