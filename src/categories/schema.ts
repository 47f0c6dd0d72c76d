import { line, pathId, type Static, Type } from '../http/type.ts'

const members = {
  name: line(100, 'Unique; upper and lower case count as the same.'),
  description: Type.Optional(line(1_000)),
}

export const NewCategory = Type.Object(members, {
  title: 'NewCategory',
  description: 'A category to add. Unknown members are ignored.',
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
    description: 'Changes to a category (RFC 7396): an absent member stays as it is, null removes it.',
  },
)
export type CategoryPatch = Static<typeof CategoryPatch>

export const Category = Type.Object(
  { id: Type.Integer({ format: 'int64' }), ...members },
  { title: 'Category', description: 'A type of animal, such as dogs.' },
)
export type Category = Static<typeof Category>

export const Categories = Type.Array(Category, {
  title: 'Categories',
  description: 'All categories, sorted by id.',
})

export const CategoryPath = Type.Object({ categoryId: pathId('Identifier of the category.') })
