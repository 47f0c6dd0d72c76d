import { shapeOf, type Values, valuesOf } from '../db/many-rows.ts'
import { prepared } from '../db/prepared.ts'
import type { Db } from '../db/tables.ts'
import { keptPhotos, toPhoto } from '../photos/storage/kept.ts'
import { etagOfPet, type Row, toPublicParts } from './row.ts'
import type { Pet } from './schema.ts'

// Animals as a list of them shows them to everybody, with their main photo alone.

type SummaryRow = Omit<Row, 'externalId' | 'staffPart'>

const readRows = prepared<Values, SummaryRow>(
  (db, fill, { rows }) =>
    db
      .selectFrom('pet')
      .select([
        'id',
        'version',
        'name',
        'status',
        'category_id as categoryId',
        'organization_id as organizationId',
        'photos',
        'profile',
        'public_part as publicPart',
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
  return new Map(rows.map((row) => [etagOfPet(row.id, row.version), toSummary(row, photosAt)]))
}

function toSummary(row: SummaryRow, photosAt: string): Pet {
  const { id, name, status, categoryId, organizationId, photos, profile, publicPart } = row
  const [first] = keptPhotos(photos)
  const { description, ...parts } = toPublicParts(profile, publicPart)
  return {
    ...parts,
    ...{ id, name, categoryId },
    ...(status !== null && { status: status as NonNullable<Pet['status']> }),
    ...(organizationId !== null && { organizationId }),
    ...(first && { photos: [toPhoto(first, photosAt)] }),
  }
}
