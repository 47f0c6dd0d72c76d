import type { Db } from '../../db/tables.ts'
import type { App } from '../../http/app.ts'
import { type Html, html } from '../../http/html.ts'
import { wholeNumberOf } from '../../http/int64.ts'
import * as vocabulary from '../../vocabulary/store.ts'
import { type Gallery, kindNamed } from './gallery/animals.ts'
import { newPage, sendGallery } from './gallery/send.ts'
import { pageHeaders } from './page.ts'

// Suggests the breeds of a type of animal. A field may have other breeds too.

/** The id of the list in a page, which the script fills if a person chooses another type. */
const LIST_ID = 'breeds'

/** Operators may add breeds to the initial lists, of which the longest has 252. */
const MAX_BREEDS = 500

/** The names of the breeds of a category, in alphabetical order. */
export async function listBreeds(db: Db, categoryId: number | undefined): Promise<string[]> {
  if (categoryId === undefined) return []
  const words = await vocabulary.list(db, 'breed', { categoryId, limit: MAX_BREEDS })
  return words.map(({ name }) => name).sort(new Intl.Collator('en').compare)
}

/** The attribute of a field that suggests the breeds in the list. */
export const BREED_FIELD = { list: LIST_ID } as const

/** The list of suggestions. A page may have it only once. */
export const breedList = (names: readonly string[]): Html =>
  html`<datalist id="${LIST_ID}">${names.map((name) => html`<option>${name}`)}</datalist>`

type BreedQuery = { Querystring: { kind?: unknown; categoryId?: unknown } }

/** Adds the names of breeds for the script of forms: `kind` is a name, `categoryId` an id. */
export function breedsRoute(app: App, gallery: Gallery): void {
  const { context } = gallery
  const headers = pageHeaders(context.config)
  const parameters = ['kind', 'categoryId'] as const
  app.get<BreedQuery>('/breeds', { config: { parameters } }, (request, reply) =>
    sendGallery(request, reply, context, async () => {
      const { kind, categoryId } = request.query
      const id = wholeNumberOf(categoryId) ?? (await kindNamed(gallery, kind))?.id
      const names = await listBreeds(context.db, id)
      return newPage(JSON.stringify(names), { type: 'application/json; charset=utf-8', headers })
    }),
  )
}
