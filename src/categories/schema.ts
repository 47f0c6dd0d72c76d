import { ONE_LINE } from '../http/text.ts'
import { type Static, Type } from '../http/type.ts'

const members = {
  name: Type.String({
    description: 'Unique, whatever the case of its letters.',
    minLength: 1,
    maxLength: 100,
    pattern: ONE_LINE,
  }),
  description: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, pattern: ONE_LINE })),
}

export const NewCategory = Type.Object(members, {
  title: 'NewCategory',
  description: 'A category to add. Members other than these are ignored.',
})
export type NewCategory = Static<typeof NewCategory>

export const CategoryPatch = Type.Object(
  {
    name: Type.Optional(members.name),
    description: Type.Optional(
      Type.Unsafe<string | null>({ ...members.description, type: ['string', 'null'] }),
    ),
  },
  {
    title: 'CategoryPatch',
    description:
      'What to change of a category (RFC 7396); members that are absent stay as they are, null removes one.',
  },
)
export type CategoryPatch = Static<typeof CategoryPatch>

export const Category = Type.Object(
  { id: Type.Integer({ format: 'int64' }), ...members },
  { title: 'Category', description: 'A kind of animal.' },
)
export type Category = Static<typeof Category>

export const Categories = Type.Array(Category, { title: 'Categories', description: 'By id.' })

export const CategoryPath = Type.Object({
  // Described as an integer and read as text: what is no int64 names no category, and is a 404.
  categoryId: Type.Unsafe<string>({
    type: 'integer',
    format: 'int64',
    description: 'Identifier of the category.',
  }),
})
