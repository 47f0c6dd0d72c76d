import { ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'

/** Of both there is one list for each category, which operators may change. */
export const KINDS = ['breed', 'color'] as const
export type Kind = (typeof KINDS)[number]

const MOST = { breed: 80, color: 60 }

const categoryId = (description: string) => Type.Integer({ format: 'int64', description })

export type NewWord = { categoryId: number; name: string }
export type Word = { id: number; categoryId: number; name: string }

/** Breed or Color: names of schemas and the like. */
export const titleOf = (kind: Kind): string => (kind === 'breed' ? 'Breed' : 'Color')

/** What a kind's operations take and answer. */
export function schemasOf(kind: Kind) {
  const members = {
    categoryId: categoryId('Identifier of the category it is for.'),
    name: Type.String({
      description: 'Unique in its category, whatever the case of its letters.',
      minLength: 1,
      maxLength: MOST[kind],
      pattern: ONE_LINE,
    }),
  }
  const Suggested = Type.Object(
    { id: Type.Integer({ format: 'int64' }), ...members },
    { title: `Suggested${titleOf(kind)}`, description: `A name for the ${kind} of an animal.` },
  )
  return {
    NewWord: Type.Object(members, {
      title: `NewSuggested${titleOf(kind)}`,
      description: `A name for a ${kind} to add. Members other than these are ignored.`,
    }),
    Word: Suggested,
    Words: Type.Array(Suggested, {
      title: `Suggested${titleOf(kind)}s`,
      description: 'A page of names, by id.',
    }),
    Path: Type.Object({
      // Described as an integer and read as text: what is no int64 names none, and is a 404.
      [`${kind}Id`]: Type.Unsafe<string>({
        type: 'integer',
        format: 'int64',
        description: `Identifier of the name.`,
      }),
    }),
  }
}

export const WordQuery = Type.Object({
  categoryId: Type.Optional(categoryId('Only those for animals of this category.')),
  limit: Type.Integer({
    description: 'Maximum number of names returned.',
    minimum: 1,
    maximum: 1_000,
    default: 1_000,
  }),
  cursor: Type.Optional(
    Type.String({ description: 'Where the page begins: only as found in a Link header.' }),
  ),
})
export type WordQuery = Static<typeof WordQuery>
