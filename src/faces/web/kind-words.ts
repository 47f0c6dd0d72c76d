import type { Texts } from './texts/texts.ts'

/** The name of a category: those that every store begins with have one in every language. */
export function kindWords({ common }: Pick<Texts, 'common'>, name: string): string {
  const key = name.toLowerCase()
  // Staff name categories as they like, and "constructor" is a member of every object.
  return (Object.hasOwn(common.kinds, key) && common.kinds[key]) || name
}
