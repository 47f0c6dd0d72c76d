// What clients did and saw, and what of it cannot be. All times are those of the one process that watched.

/** A version of an animal: its creation (0), or a change of its name. */
export interface Version {
  /** When it was first sent, and answered with success. */
  begun: number
  ended: number
  /** Which process answered. */
  process: number
}

/** An animal of one client, which alone changes it, one version after the other. */
export interface Life {
  name: string
  /** As its 201 said; absent while that has not come. */
  id?: number
  versions: Version[]
}

/** What one answer showed: animals by id and by name with version, such as "dog-3.2". */
export interface Reading {
  begun: number
  ended: number
  process: number
  seen: { id: number; name: string }[]
  /** Which animals it would have to show, if they were there: those asked for, or all from this id on. */
  asked: number[] | { from: number }
}

/** An order, from its 201 to the moment when somebody began to close it. */
export interface Hold {
  order: number
  pet: number
  from: number
  to: number
}

export interface History {
  lives: Map<string, Life>
  readings: Reading[]
  holds: Hold[]
}

/** After so long a commit of one process is seen by every other one. */
export const ACROSS_PROCESSES_MS = 1_000

/** @returns a sentence for each thing that no correct service would have shown */
export function check({ lives, readings, holds }: History): string[] {
  return [...checkIds(lives, readings), ...checkReadings(lives, readings), ...checkHolds(holds)]
}

/** An id belongs to one animal for ever, and an animal to one id. */
function checkIds(lives: Map<string, Life>, readings: Reading[]): string[] {
  const wrong = new Set<string>()
  const nameOf = new Map<number, string>()
  const idOf = new Map<string, number>()
  const note = (id: number, name: string): void => {
    const [known, other] = [nameOf.get(id), idOf.get(name)]
    if (known !== undefined && known !== name) wrong.add(`id ${id} belongs to ${known} and to ${name}`)
    if (other !== undefined && other !== id) wrong.add(`${name} has the ids ${other} and ${id}`)
    nameOf.set(id, name)
    idOf.set(name, id)
  }
  for (const { id, name } of lives.values()) if (id !== undefined) note(id, name)
  for (const { seen } of readings) for (const { id, name } of seen) note(id, nameAndVersion(name)[0])
  return [...wrong]
}

function checkReadings(lives: Map<string, Life>, readings: Reading[]): string[] {
  const wrong: string[] = []
  const newestFirst = [...lives.values()]
    .filter((life): life is Life & { id: number } => life.id !== undefined)
    .sort((one, other) => other.id - one.id)
  const byId = new Map(newestFirst.map((life) => [life.id, life]))
  for (const reading of readings) {
    const shown = new Set<number>()
    for (const { id, name } of reading.seen) {
      if (shown.has(id)) wrong.push(`id ${id} is twice in one answer`)
      shown.add(id)
      wrong.push(...checkSeen(lives, reading, name))
    }
    for (const life of expected(reading, newestFirst, byId)) {
      if (settled(life, reading) >= 0 && !shown.has(life.id))
        wrong.push(`${life.name} (id ${life.id}) is missing in an answer of process ${reading.process}`)
    }
  }
  return wrong
}

/** @returns what a whole list, read when all was answered and nothing went on, has too much or too little */
export function checkWhole({ lives }: History, whole: Reading): string[] {
  const seen = whole.seen.map(({ id, name }) => `${name} (id ${id})`)
  const sent = [...lives.values()].map(
    ({ id, name, versions }) => `${name}.${versions.length - 1} (id ${id})`,
  )
  const [listed, known] = [new Set(seen), new Set(sent)]
  const at = `in the whole list of process ${whole.process}`
  return [
    ...sent.filter((animal) => !listed.has(animal)).map((animal) => `${animal} is missing ${at}`),
    ...seen.filter((animal) => !known.has(animal)).map((animal) => `${animal} is too much ${at}`),
    ...(seen.length > listed.size ? [`an animal is twice ${at}`] : []),
  ]
}

function* expected<Known extends { id: number }>(
  { asked }: Reading,
  newestFirst: Known[],
  byId: Map<number, Known>,
): Generator<Known> {
  if (Array.isArray(asked)) {
    for (const id of asked) {
      const life = byId.get(id)
      if (life) yield life
    }
    return
  }
  for (const life of newestFirst) {
    if (life.id < asked.from) return
    yield life
  }
}

function checkSeen(lives: Map<string, Life>, reading: Reading, seen: string): string[] {
  const [name, version] = nameAndVersion(seen)
  const life = lives.get(name)
  const begun = life?.versions[version]?.begun
  if (!life || begun === undefined || begun > reading.ended) return [`${seen} was seen and never sent`]
  const least = settled(life, reading)
  if (version >= least) return []
  return [`${seen} was read from process ${reading.process} after version ${least} was answered`]
}

/** The latest version that a reading must know of; -1 for none. */
function settled({ versions }: Life, { begun, process }: Reading): number {
  return versions.findLastIndex(
    (version) => version.ended + (version.process === process ? 0 : ACROSS_PROCESSES_MS) < begun,
  )
}

/** Of two orders on one animal the one is closed before the other is taken. */
function checkHolds(holds: Hold[]): string[] {
  const wrong: string[] = []
  const last = new Map<number, Hold>()
  for (const hold of holds.toSorted((one, other) => one.from - other.from)) {
    const before = last.get(hold.pet)
    if (before && before.to > hold.from)
      wrong.push(`orders ${before.order} and ${hold.order} on animal ${hold.pet} were open at once`)
    if (!before || hold.to > before.to) last.set(hold.pet, hold)
  }
  return wrong
}

function nameAndVersion(text: string): [name: string, version: number] {
  const dot = text.lastIndexOf('.')
  return [text.slice(0, dot), Number(text.slice(dot + 1))]
}
