import { int64 } from '../../../http/int64.ts'
import { fold } from '../../../search/words.ts'

/** So much of a name stands in an address. */
const MOST_CHARACTERS = 60

/** The address of an animal's page: its id decides, its name is there for people. */
export function animalPath({ id, name }: { id: number; name: string }): string {
  const words = fold(name)
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MOST_CHARACTERS)
  const slug = words.replace(/^-|-$/g, '')
  return `/animals/${id}${slug && `-${slug}`}`
}

/** The id that such an address begins with; undefined where it can be that of no animal. */
export function idOfSlug(slug: string): number | undefined {
  const [, id = ''] = /^([1-9]\d*)(?:-|$)/.exec(slug) ?? []
  return int64(id)
}

export const shelterPath = (code: string): string => `/organizations/${code}`
