import { type Html, html } from '../../../../http/html.ts'
import { parseFields } from '../../../../pets/row.ts'
import { isListed } from '../../../../pets/rules.ts'
import { finderOf } from '../../../../pets/search/filters.ts'
import { listForStaff, type StaffPet } from '../../../../pets/staff-list.ts'
import type { StoredPet } from '../../../../pets/store.ts'
import { parsePhotos } from '../../../../photos/storage/stored-photo.ts'
import { readOrganizations } from '../choices.ts'
import { noneYet } from '../organization/organization.ts'
import { idsIn, PREFIX, type Visit } from '../visit.ts'

// Warnings about animals in the gallery without important information.

const GAPS = ['organization', 'photo'] as const
type Gap = (typeof GAPS)[number]

/** The part of an animal's page that fills a gap. */
const FIELDS: Record<Gap, string> = { organization: '#field-organizationId', photo: '#photos' }

const hasGap = (gap: Gap, { status, organizationId, photos = [] }: Partial<StaffPet>): boolean =>
  isListed({ status }) && (gap === 'photo' ? photos.length === 0 : organizationId === undefined)

const warning = (text: string, links: Html | Html[]): Html =>
  html`<p class="summary problem" role="status">${text} ${links}</p>`

/** The warnings on the page of an animal. */
export async function gapWarnings(visit: Visit, { pet, photos }: StoredPet): Promise<Html[]> {
  const { gaps } = visit.words.animal
  const found = GAPS.filter((gap) => hasGap(gap, { ...pet, photos: parsePhotos(photos) as never }))
  if (found.length === 0 || !visit.may('changeAnimals')) return []
  const hasOrganizations = (await readOrganizations(visit)) !== undefined
  return found.map((gap) =>
    gap === 'organization' && !hasOrganizations
      ? noneYet(visit, `${gaps[gap].text}.`)
      : warning(`${gaps[gap].text}.`, html`<a href="${FIELDS[gap]}">${gaps[gap].fill}</a>`),
  )
}

/** The parameter of an address that names the animals that were just published. */
export const PUBLISHED = 'published'
const MAX_PUBLISHED = 100
const MEMBERS = parseFields('id,name,status,organizationId,photos')

/** The warnings on the page that follows after animals were published. */
export async function publishedWarnings(
  { context, caller, query, words }: Visit,
  published = idsIn(query[PUBLISHED]),
): Promise<Html[]> {
  if (published.length === 0) return []
  const { found } = await listForStaff(finderOf(context), {
    query: { ids: published.slice(0, MAX_PUBLISHED), organizationId: caller.organizationId, sort: '-id' },
    limit: MAX_PUBLISHED,
    selection: MEMBERS,
    renderOptions: { view: caller.view, photosBase: '' },
  })
  const { gaps } = words.animal
  return GAPS.flatMap((gap) => {
    const links = found
      .filter((pet) => hasGap(gap, pet))
      .map(({ id, name }) => html`<a href="${PREFIX}/animals/${id}${FIELDS[gap]}">${name}</a>`)
    const separated = links.map((link, index) => html`${index > 0 && ', '}${link}`)
    return links.length > 0 ? [warning(`${gaps[gap].text}:`, separated)] : []
  })
}
