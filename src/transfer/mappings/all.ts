import type { Mapping, PROGRAMS } from '../animal.ts'
import { isPlainHeading } from '../headings.ts'
import { petfinder } from './petfinder.ts'
import { rescueGroups } from './rescuegroups.ts'
import { shelterManager } from './shelter-manager.ts'
import { shelterluv } from './shelterluv.ts'

/** All supported programs, by their name for `--from`. */
export const MAPPINGS: Record<string, Mapping> = {
  petfinder,
  rescuegroups: rescueGroups,
  'shelter-manager': shelterManager,
  shelterluv,
} satisfies Record<(typeof PROGRAMS)[number], Mapping>

/** Finds the program whose exports have these columns. Ignores columns that any table may have. */
export function findProgram(headings: string[]): string | undefined {
  return Object.keys(MAPPINGS).find((name) => {
    const { columns = [], otherForm = [] } = MAPPINGS[name] ?? {}
    return [columns, otherForm].some(
      (form) =>
        form.some((column) => !isPlainHeading(column)) && form.every((column) => headings.includes(column)),
    )
  })
}
