import { sql } from 'kysely'
import { dialectOf, listParameter } from '../db/dialect.ts'
import type { Db } from '../db/tables.ts'
import type { NewPet } from './schema.ts'

// Finds animals with the same microchip. Two animals with one chip are usually one animal that was added
// twice.

/**
 * Words such as "none" and numbers such as 0000000 are not chips. The shortest chips have nine characters.
 */
const CHIP = /^(?=.*\d)(?!(.)\1*$)[^\s]{9,}$/u

/** The form in which chips are compared; undefined for a text that is not a chip. */
export function foldMicrochip({ staff }: Pick<NewPet, 'staff'>): string | undefined {
  const folded = staff?.microchip
    ?.replaceAll(/[ .-]/g, '')
    .replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  return folded !== undefined && CHIP.test(folded) ? folded : undefined
}

/** Must equal the expressions in the index pet_by_microchip, or the index is not used. */
const MICROCHIP = {
  sqlite: "json_extract(staff_part, '$.staff.microchip')",
  postgres: `(staff_part::json->'staff'->>'microchip') collate "C"`,
}

/**
 * Finds the oldest and the newest animal with each chip.
 *
 * @param chips as `foldMicrochip` returns them
 * @param organizationId limits the result to animals of this organization
 * @returns the ids by chip
 */
export async function findByMicrochip(
  db: Db,
  chips: string[],
  organizationId: number | undefined,
): Promise<Map<string, number[]>> {
  if (chips.length === 0) return new Map()
  const { rows } = await selectByMicrochip(db, chips, organizationId).execute(db)
  return new Map(
    rows.flatMap(({ chip, first, last }): [string, number[]][] =>
      first === null || last === null ? [] : [[chip, [...new Set([Number(first), Number(last)])]]],
    ),
  )
}

export function selectByMicrochip(db: Db, chips: string[], organizationId: number | undefined) {
  const { engine } = dialectOf(db)
  const folded = sql.raw(`lower(replace(replace(replace(${MICROCHIP[engine]}, ' ', ''), '-', ''), '.', ''))`)
  const isOwn = organizationId === undefined ? sql`` : sql`and organization_id = ${organizationId}`
  const endOf = (order: 'asc' | 'desc') =>
    sql`(select id from pet where ${folded} = given.value ${isOwn} order by id ${sql.raw(order)} limit 1)`
  const list = listParameter(db, [...new Set(chips)])
  const given =
    engine === 'sqlite' ? sql`json_each(${list}) as given` : sql`unnest(${list}::text[]) as given(value)`
  return sql<{ chip: string; first: number | null; last: number | null }>`
    select given.value as chip, ${endOf('asc')} as first, ${endOf('desc')} as last from ${given}`
}
