import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import sharp from 'sharp'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Writer } from '../db/write.ts'
import { withCoordinates } from '../organizations/places.ts'
import * as organizations from '../organizations/store.ts'
import * as petLists from '../pets/list.ts'
import { renderNewPhoto } from '../photos/files.ts'
import { newWorkFile } from '../photos/storage/folder.ts'
import type { PhotoFiles } from '../photos/storage/open.ts'
import { importAnimals } from '../transfer/import.ts'
import { ownMapping } from '../transfer/mappings/own.ts'
import { DEMO_ANIMALS, type DemoAnimal, drawAnimal, type Looks } from './animals.ts'
import { DEMO_CODE, DEMO_PLACE, DEMO_SHELTER } from './remove.ts'

type Store = Writer & { db: Db }

export interface DemoCounts {
  animals: number
  applications: number
}

/**
 * Adds the demo shelter with its animals, drawings as photos, and applications.
 * @returns undefined if the demo shelter exists already
 */
export async function fillDemo(
  store: Store,
  files: PhotoFiles,
  clock: () => number,
): Promise<DemoCounts | undefined> {
  const { db, write } = store
  if ((await organizations.findIdByCode(db, DEMO_CODE)) !== undefined) return undefined
  const { id } = await write(changes.insertOrganization, await withCoordinates(DEMO_SHELTER), clock())
  await importAnimals(
    store,
    { bytes: () => lines(clock()) },
    {
      ...{ format: 'ndjson', mapping: ownMapping, source: 'demo', idColumn: 'externalId', update: false },
      ...{ category: undefined, organization: DEMO_CODE, dryRun: false, mayHaveOwnIds: false },
      ...{ keyId: null, clock },
      onRefused({ line, reason }) {
        throw new Error(`animal ${line} of the demo is invalid: ${reason}`)
      },
    },
  )
  const { found } = await petLists.listFull(db, { limit: 100, sort: 'id', organizationId: id }, '')
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

/** The days between the arrivals of two animals. */
const ARRIVAL_DAYS = 8

/** The animals as lines of an `adoptable export` file. */
async function* lines(now: number): AsyncGenerator<Buffer> {
  for (const [index, { looks, ...animal }] of DEMO_ANIMALS.entries()) {
    const bondedWith = DEMO_ANIMALS.flatMap(({ tags = [] }, other) =>
      animal.tags?.includes('pair') && tags.includes('pair') && other !== index ? [numberOf(other)] : [],
    )
    const bond = bondedWith.length > 0 && { bondedWith }
    const daysInCare = 3 + ARRIVAL_DAYS * (DEMO_ANIMALS.length - 1 - index)
    const intakeDate = new Date(now - daysInCare * 86_400_000).toISOString().slice(0, 10)
    const staff = { intakeDate, kennel: `${animal.category.charAt(0)}${index + 1}` }
    const line = { ...animal, externalId: numberOf(index), place: DEMO_PLACE, staff, ...bond }
    yield Buffer.from(`${JSON.stringify(line)}\n`)
  }
}

/** The demo applications, each with the index of its animal and a message. */
const APPLICATIONS = [
  { index: 0, message: 'We have a fenced yard and walk twice a day. Our two children are nine and twelve.' },
  { index: 0, message: 'I work from home and would take him everywhere.' },
  { index: 4, message: 'A quiet apartment without other animals. I have all the time he needs.' },
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
  const svg = drawAnimal({ ...looks, kind, backdrop: BACKDROPS[index % BACKDROPS.length] as string })
  const picture = await sharp(Buffer.from(svg)).jpeg({ quality: 90 }).toBuffer()
  const file = await newWorkFile(files.store)
  await writeFile(file, picture, { mode: 0o600 })
  // The service makes the other sizes later, in a job or when a client requests a size.
  const made = await renderNewPhoto(files, file)
  await rm(file, { force: true })
  const digest = createHash('sha256').update(picture).digest('hex')
  const photo = { digest, ...made, alt: `A drawing of ${name}, a ${kind}` }
  await write(changes.addPhoto, { kind: 'pet', id: petId }, photo, { keyId: null }, now)
}
