import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { located } from '../organizations/locate.ts'
import * as organizations from '../organizations/store.ts'
import * as petLists from '../pets/search.ts'
import { keepNew } from '../photos/files.ts'
import { workFile } from '../photos/storage/folder.ts'
import type { PhotoFiles } from '../photos/storage/open.ts'
import { importAnimals } from '../transfer/import.ts'
import { own } from '../transfer/mappings/own.ts'
import { DEMO_ANIMALS, type DemoAnimal } from './animals.ts'
import { drawing, type Looks } from './drawing.ts'
import { DEMO_CODE, DEMO_PLACE, DEMO_SHELTER } from './shelter.ts'

type Store = Writer & { db: Db }

export interface Filled {
  animals: number
  applications: number
}

/**
 * Adds a made-up shelter with its animals and drawn photos.
 *
 * @returns undefined when it is there already
 */
export async function fillDemo(
  store: Store,
  files: PhotoFiles,
  clock: () => number,
): Promise<Filled | undefined> {
  const { db, write } = store
  if ((await organizations.idOfCode(db, DEMO_CODE)) !== undefined) return undefined
  const { id } = await write(changes.insertOrganization, await located(DEMO_SHELTER), clock())
  await importAnimals(store, lines(), {
    ...{ format: 'ndjson', mapping: own, source: 'demo', idColumn: 'externalId', update: false },
    ...{ category: undefined, organization: DEMO_CODE, dryRun: false, mayHaveOwnIds: false },
    ...{ keyId: null, clock, onBatch: () => undefined },
    onRefused({ line, reason }) {
      throw new Error(`animal ${line} of the demo was refused: ${reason}`)
    },
  })
  const { found } = await petLists.listWhole(db, { limit: 100, sort: 'id', organizationId: id }, '')
  for (const [index, { id: petId }] of found.entries()) {
    await addPhoto(store, files, petId, DEMO_ANIMALS[index] as DemoAnimal, index, clock())
  }
  await addApplications(
    store,
    found.map(({ id }) => id),
    clock(),
  )
  return { animals: found.length, applications: APPLICATIONS.length }
}

/** As `adoptable export` would have them. */
async function* lines(): AsyncGenerator<Buffer> {
  for (const [index, { looks, ...animal }] of DEMO_ANIMALS.entries()) {
    const bondedWith = DEMO_ANIMALS.flatMap(({ tags = [] }, other) =>
      animal.tags?.includes('pair') && tags.includes('pair') && other !== index ? [numberOf(other)] : [],
    )
    const bond = bondedWith.length > 0 && { bondedWith }
    const line = { ...animal, externalId: numberOf(index), place: DEMO_PLACE, ...bond }
    yield Buffer.from(`${JSON.stringify(line)}\n`)
  }
}

/** For which animal, by its place in the list, and what they say of themselves. */
const APPLICATIONS = [
  { index: 0, message: 'We have a fenced garden and walk twice a day. Two children of nine and twelve.' },
  { index: 0, message: 'I work at home and would take him along everywhere.' },
  { index: 4, message: 'A quiet flat without other animals. I have all the time that he needs.' },
]

async function addApplications({ write }: Store, petIds: number[], now: number): Promise<void> {
  for (const [number, { index, message }] of APPLICATIONS.entries()) {
    const applicant = { name: `Demo Applicant ${number + 1}`, email: `applicant-${number + 1}@example.org` }
    const petId = petIds[index] as number
    await write(changes.insertApplication, { petId, applicant, message }, { by: null, now })
  }
}

const numberOf = (index: number): string => `DEMO-${index + 1}`

const KINDS: Record<string, Looks['kind']> = { Dog: 'dog', Cat: 'cat', Rabbit: 'rabbit' }
const BACKDROPS = ['#bcd4c4', '#e9c9a8', '#c7d3e3', '#ecd9b0', '#c9dfc1', '#e6d0d0']

async function addPhoto(
  { write }: Store,
  files: PhotoFiles,
  petId: number,
  { name, category, looks }: DemoAnimal,
  index: number,
  now: number,
): Promise<void> {
  const kind = KINDS[category] ?? 'dog'
  const svg = drawing({ ...looks, kind, backdrop: BACKDROPS[index % BACKDROPS.length] as string })
  const picture = await sharp(Buffer.from(svg)).jpeg({ quality: 90 }).toBuffer()
  const file = await workFile(files.store)
  await writeFile(file, picture, { mode: 0o600 })
  // The service makes the others, when somebody asks or has the time.
  const made = await keepNew(files, file)
  await rm(file, { force: true })
  const digest = createHash('sha256').update(picture).digest('hex')
  const photo = { digest, ...made, alt: `A drawing of ${name}, a ${kind}` }
  await write(changes.addPhoto, { kind: 'pet', id: petId }, photo, { keyId: null }, now)
}
