import { ConfigError } from './setting.ts'

/** The types of animals that clients under /v2 know, in the order in which they are told. */
export const TYPE_SLUGS = [
  'dog',
  'cat',
  'rabbit',
  'small-furry',
  'horse',
  'bird',
  'scales-fins-other',
  'barnyard',
] as const
export type TypeSlug = (typeof TYPE_SLUGS)[number]

/** @returns names of categories, each with its type */
export function types(text: string): [category: string, slug: TypeSlug][] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const at = part.lastIndexOf('=')
      const [category, type] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()]
      const slug = TYPE_SLUGS.find((known) => known === type)
      if (category === '' || slug === undefined)
        throw new ConfigError(
          `must be like Ferrets=small-furry;Fish=scales-fins-other, with types of: ${TYPE_SLUGS.join(', ')}`,
        )
      return [category, slug]
    })
}
