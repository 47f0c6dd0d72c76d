import { limitOf, line, pathId, type Static, Type } from '../http/type.ts'

/** Each category has a list of breeds and a list of colors, which operators can change. */
export const WORD_KINDS = ['breed', 'color'] as const
export type WordKind = (typeof WORD_KINDS)[number]

const MAX_LENGTHS = { breed: 80, color: 60 }

const categoryId = (description: string) => Type.Integer({ format: 'int64', description })

export type NewWord = { categoryId: number; name: string }
export type Word = { id: number; categoryId: number; name: string }

/** The kind as it appears in the names of schemas and operations: Breed or Color. */
export const titleOf = (kind: WordKind): string => (kind === 'breed' ? 'Breed' : 'Color')

/** The schemas of the operations of one kind. */
export function schemasOf(kind: WordKind) {
  const members = {
    categoryId: categoryId('Identifier of the category that the name is for.'),
    name: line(MAX_LENGTHS[kind], 'Unique in its category, ignoring case.'),
  }
  const SuggestedWord = Type.Object(
    { id: Type.Integer({ format: 'int64' }), ...members },
    { title: `Suggested${titleOf(kind)}`, description: `A suggested ${kind} for animals.` },
  )
  return {
    NewWord: Type.Object(members, {
      title: `NewSuggested${titleOf(kind)}`,
      description: `A ${kind} name to add. Other members are ignored.`,
    }),
    Word: SuggestedWord,
    Words: Type.Array(SuggestedWord, {
      title: `Suggested${titleOf(kind)}s`,
      description: 'A page of names, in the order of their ids.',
    }),
    Path: Type.Object({ [`${kind}Id`]: pathId(`Identifier of the ${kind}.`) }),
  }
}

export const WordQuery = Type.Object({
  categoryId: Type.Optional(categoryId('Only names of this category.')),
  limit: limitOf('names', 1_000, 1_000),
  cursor: Type.Optional(Type.String({ description: 'Start of the page. Take it from a Link header.' })),
})
export type WordQuery = Static<typeof WordQuery>
