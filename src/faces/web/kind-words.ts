import type { Texts } from './texts/texts.ts'

/** The name of a category in the language of the page. Only the built-in categories are translated. */
export function categoryLabel({ common }: Pick<Texts, 'common'>, name: string): string {
  const key = name.toLowerCase()
  // Every object inherits a member "constructor", and staff can give a category this name.
  return (Object.hasOwn(common.kinds, key) && common.kinds[key]) || name
}
