import type { Mapping } from './animal.ts'
import { petfinder } from './mappings/petfinder.ts'
import { rescueGroups } from './mappings/rescuegroups.ts'
import { shelterManager } from './mappings/shelter-manager.ts'
import { shelterluv } from './mappings/shelterluv.ts'

/** The programs whose files are understood, by the name that `--from` takes. The one list. */
export const MAPPINGS: Record<string, Mapping> = {
  petfinder,
  rescuegroups: rescueGroups,
  'shelter-manager': shelterManager,
  shelterluv,
}
