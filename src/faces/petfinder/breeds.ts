import type { Db } from '../../db/tables.ts'
import * as vocabulary from '../../vocabulary/store.ts'
import type { Categories, Type } from './types.ts'

/** Of one category; an operator's list may be longer than the first one, and not without end. */
const MOST_WORDS = 2_000

/** The names of breeds of a type, each once, in the order of the alphabet. */
export async function listBreeds(db: Db, { typeOf }: Categories, type: Type): Promise<string[]> {
  const names = new Set<string>()
  for (const [categoryId, other] of typeOf) {
    if (other !== type) continue
    const words = await vocabulary.list(db, 'breed', { categoryId, limit: MOST_WORDS })
    for (const { name } of words) names.add(name)
  }
  return [...names].sort((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
}

/** Of theirs those that have other names here, in lower case. */
const OURS = new Map<string, string>([
  ['akbash', 'Akbash Dog'],
  ['appenzell mountain dog', 'Appenzeller Sennenhund'],
  ['belgian shepherd / malinois', 'Belgian Malinois'],
  ['belgian shepherd / sheepdog', 'Belgian Sheepdog'],
  ['belgian shepherd / tervuren', 'Belgian Tervuren'],
  ['brittany spaniel', 'Brittany'],
  ['caucasian sheepdog / caucasian ovtcharka', 'Caucasian Shepherd Dog'],
  ['entlebucher', 'Entlebucher Mountain Dog'],
  ['galgo spanish greyhound', 'Galgo Español'],
  ['german shepherd dog', 'German Shepherd'],
  ['havana', 'Havana Brown'],
  ['kai dog', 'Kai Ken'],
  ['klee kai', 'Alaskan Klee Kai'],
  ['newfoundland dog', 'Newfoundland'],
  ['pixiebob', 'Pixie-bob'],
  ['tosa inu', 'Tosa'],
  ['white german shepherd', 'White Shepherd'],
])
const HAIR = /(short|medium|long) hair$/i

/** What a breed of theirs may be called here: so, or as one of two with a slash between, or otherwise. */
export function ourBreeds(name: string): string[] {
  const other = OURS.get(name.toLowerCase()) ?? name.replace(HAIR, '$1hair')
  return [...new Set([name, ...name.split('/').map((part) => part.trim()), other])].filter(Boolean)
}
