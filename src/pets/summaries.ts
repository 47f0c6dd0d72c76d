import { shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { keptPhotos, toPhoto } from '../photo-files/kept.ts'
import { etagOfPet, toPublicParts } from './row.ts'
import type { Pet } from './schema.ts'

// Animals as a list of them shows them to everybody, with their main photo alone.

type SummaryRow = [
  id: number,
  version: number,
  name: string,
  status: string | null,
  categoryId: unknown,
  organizationId: unknown,
  photos: string | null,
  profile: string | null,
  publicPart: string | null,
]

const readRows = prepared<Values, SummaryRow>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select([
        'id',
        'version',
        'name',
        'status',
        'category_id',
        'organization_id',
        'photos',
        'profile',
        'public_part',
      ])
      .where(
        'id',
        'in',
        Array.from({ length: Number(rows) }, (_, index) => fill(`id${index}`) as number),
      ),
  shapeOf,
)

/** @param photosAt as `photosAt` gives it @returns those that are there, by the ETags of their states */
export async function summaries(db: Db, ids: number[], photosAt: string): Promise<Map<string, Pet>> {
  if (ids.length === 0) return new Map()
  const rows = await readRows(
    db,
    valuesOf(
      ids.map((id) => ({ id })),
      {},
    ),
  )
  return new Map(rows.map((row) => [etagOfPet(row[0], row[1]), toSummary(row, photosAt)]))
}

function toSummary(row: SummaryRow, photosAt: string): Pet {
  const [id, , name, status, categoryId, organizationId, photos, profile, publicPart] = row
  const [first] = keptPhotos(photos)
  const { description, ...parts } = toPublicParts(profile, publicPart)
  return {
    ...parts,
    ...{ id, name, categoryId: Number(categoryId) },
    ...(status !== null && { status: status as NonNullable<Pet['status']> }),
    ...(organizationId !== null && { organizationId: Number(organizationId) }),
    ...(first && { photos: [toPhoto(first, photosAt)] }),
  }
}
