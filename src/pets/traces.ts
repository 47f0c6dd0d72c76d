import { pagesById } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { createEmailMatcher, isSameEmail } from '../http/text.ts'
import type { PetHistory } from './schema.ts'
import { drawVersion, lock, recordPetEvents } from './store.ts'

// Finds and erases personal data by e-mail address: in animals, their history, and results of requests.

type Json = Record<string, unknown>
type Changes = PetHistory[number]['changes']
type Contact = { name?: string; email?: string; phone?: string }

/** Personal data in an animal and its history. The history stays after the animal is deleted. */
export interface PetTraces {
  petId: number
  /** The members with personal data, with their current values. */
  members: Json
  history: { at: string; changes: Changes }[]
}

const TEXTS = ['name', 'external_id', 'photos', 'profile', 'public_part', 'staff_part'] as const

/** Finds the animals that contain personal data of a person. */
export async function findTraces(db: Db, email: string): Promise<PetTraces[]> {
  const folded = email.toLowerCase()
  const petIds = new Set<number>()
  const note = (petId: number, texts: (string | null)[]) => {
    if (texts.some((text) => text?.toLowerCase().includes(folded))) petIds.add(petId)
  }
  const pets = (after: number, limit: number) =>
    db
      .selectFrom('pet')
      .select(['id', ...TEXTS])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
  for await (const rows of pagesById(pets))
    for (const row of rows)
      note(
        row.id,
        TEXTS.map((name) => row[name]),
      )
  const changes = (after: number, limit: number) =>
    db
      .selectFrom('pet_change')
      .select(['id', 'pet_id as petId', 'changes'])
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
  for await (const rows of pagesById(changes)) for (const { petId, changes } of rows) note(petId, [changes])
  const found: PetTraces[] = []
  for (const petId of [...petIds].sort((one, other) => one - other)) {
    const { row, history, eraser } = await read(db, petId, email)
    const members = row ? changedIn(membersOf(row), eraser.from(membersOf(row))) : {}
    const touched = history.map(({ at, changes }) => ({
      at: new Date(at).toISOString(),
      changes: changedIn(changes, eraser.fromChanges(changes)) as Changes,
    }))
    const traces = { petId, members, history: touched.filter(({ changes }) => !isEmpty(changes)) }
    if (!isEmpty(members) || traces.history.length > 0) found.push(traces)
  }
  return found
}

/** Erases the person's contacts (public, foster homes) completely, and the e-mail address in other texts. */
export async function eraseTraces(db: Db, petId: number, email: string, now: number): Promise<void> {
  await lock(db, [petId])
  const { row, history, eraser } = await read(db, petId, email)
  if (row) {
    const after = {
      name: eraser.from({ name: row.name }).name as string,
      // Removes the whole externalId. Without the address, it might equal the externalId of another animal.
      external_id: eraser.mentions(row.external_id) ? null : row.external_id,
      photos: eraser.fromText(row.photos),
      profile: eraser.fromText(row.profile),
      public_part: eraser.fromText(row.public_part),
      staff_part: eraser.fromText(row.staff_part),
    }
    if (TEXTS.some((name) => after[name] !== row[name])) {
      const version = drawVersion()
      await db
        .updateTable('pet')
        .set({ ...after, updated_at: now, version })
        .where('id', '=', petId)
        .execute()
      const { organizationId } = row
      // Programs that copy animals read this one again.
      await recordPetEvents(db, [{ type: 'pet.updated', id: petId, organizationId, version }], now)
    }
  }
  for (const { id, changes } of history) {
    const after = eraser.fromChanges(changes)
    if (isEmpty(after)) await db.deleteFrom('pet_change').where('id', '=', id).execute()
    else if (!isEmpty(changedIn(changes, after)))
      await db
        .updateTable('pet_change')
        .set({ changes: JSON.stringify(after) })
        .where('id', '=', id)
        .execute()
  }
}

/**
 * Erases a person from the stored result of a request.
 * @param petIds animals with personal data of the person; the contact is removed from a result with one of
 *   these animals, even if the contact has no address
 */
export function eraseFromResult(result: string, email: string, petIds: ReadonlySet<number>): string {
  const mentions = createEmailMatcher(email)
  const value = JSON.parse(result)
  if (!isPetRow(value)) return JSON.stringify(mentions.eraseIn(value))
  const isTraced = petIds.has(value.id)
  const eraser = eraserOf(email, (contact) => isTraced || isSameEmail(contact.email, email))
  const texts = ['photos', 'profile', 'publicPart', 'staffPart'] as const
  const after = texts.map((name) => [name, eraser.fromText(value[name])])
  return JSON.stringify({ ...mentions.eraseIn(value), ...Object.fromEntries(after) })
}

type PetRow = { id: number } & Record<'photos' | 'profile' | 'publicPart' | 'staffPart', string | null>

const isPetRow = (result: unknown): result is PetRow =>
  typeof result === 'object' && result !== null && 'publicPart' in result

async function read(db: Db, petId: number, email: string) {
  const row = await db
    .selectFrom('pet')
    .select(['organization_id as organizationId', ...TEXTS])
    .where('id', '=', petId)
    .executeTakeFirst()
  const stored = db.selectFrom('pet_change').select(['id', 'at', 'changes']).where('pet_id', '=', petId)
  const history = (await stored.orderBy('id').execute()).map(({ changes, ...entry }) => ({
    ...entry,
    changes: JSON.parse(changes) as Changes,
  }))
  const earlier = history.flatMap(({ changes: { contact, staff } }) => [
    ...contactsIn({ contact: contact?.from, staff: staff?.from }),
    ...contactsIn({ contact: contact?.to, staff: staff?.to }),
  ])
  const contacts = [...(row ? contactsIn(membersOf(row)) : []), ...earlier]
  return { row, history, eraser: eraserOf(email, isTheirs(contacts, email)) }
}

type Foster = { fosterName?: string; fosterEmail?: string; fosterPhone?: string }

/** The contact of the foster home, which is in the member `staff`. */
function fosterIn(staff: unknown): Contact | undefined {
  const { fosterName: name, fosterEmail: email, fosterPhone: phone } = (staff ?? {}) as Foster
  if (name === undefined && email === undefined && phone === undefined) return undefined
  return {
    ...(name !== undefined && { name }),
    ...(email !== undefined && { email }),
    ...(phone && { phone }),
  }
}

/** The public contact of an animal and its foster home. */
function contactsIn({ contact, staff }: Json): Contact[] {
  return [contact as Contact | undefined, fosterIn(staff)].filter((one) => one !== undefined)
}

/**
 * Returns a test for contacts of the person. The test also accepts a contact without the address, if another
 * contact of the animal has both the address and the same name.
 */
function isTheirs(contacts: Contact[], email: string): (contact: Contact) => boolean {
  const theirs = contacts.filter((contact) => isSameEmail(contact.email, email))
  const names = new Set(theirs.map(({ name }) => name?.toLowerCase()))
  const phones = new Set(theirs.map(({ phone }) => phone))
  return (contact) =>
    isSameEmail(contact.email, email) ||
    (contact.name === undefined
      ? contact.email === undefined && phones.has(contact.phone)
      : names.has(contact.name.toLowerCase()))
}

function eraserOf(email: string, isTheirs: (contact: Contact) => boolean) {
  const { eraseIn, occursIn } = createEmailMatcher(email)
  function from(members: Json): Json {
    const { contact, ...others } = members
    const left = contact !== undefined && isTheirs(contact as Contact) ? others : members
    const foster = fosterIn(left.staff)
    return eraseIn(foster && isTheirs(foster) ? withoutFoster(left) : left)
  }
  return {
    from,
    mentions: occursIn,
    fromText(text: string | null): string | null {
      if (text === null) return null
      const value = JSON.parse(text)
      const after = Array.isArray(value) ? eraseIn(value) : from(value)
      return isEmpty(after) ? null : JSON.stringify(after)
    },
    fromChanges(changes: Changes): Changes {
      const left = Object.entries(changes).map(([name, change]) => {
        const sides = Object.entries(change).map(([side, value]) => [side, from({ [name]: value })[name]])
        return [name, Object.fromEntries(sides.filter(([, value]) => value !== undefined))] as const
      })
      return Object.fromEntries(left.filter(([, change]) => !isEmpty(change)))
    },
  }
}

function withoutFoster({ staff, ...members }: Json): Json {
  const { fosterName: _, fosterEmail: __, fosterPhone: ___, ...left } = staff as Foster
  return isEmpty(left) ? members : { ...members, staff: left }
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0

/** @returns all members of a row that can contain personal data */
function membersOf(row: Record<(typeof TEXTS)[number], string | null>): Json {
  const [profile, staffPart, photos] = [row.profile, row.staff_part, row.photos].map((text) =>
    JSON.parse(text ?? 'null'),
  )
  return {
    name: row.name,
    externalId: row.external_id ?? undefined,
    ...profile,
    ...staffPart,
    ...(photos && { photos }),
  }
}

function changedIn(before: Json, after: Json): Json {
  const changed = Object.entries(before).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(changed)
}
