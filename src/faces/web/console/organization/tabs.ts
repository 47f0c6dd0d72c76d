import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import type { StoredOrganization } from '../../../../organizations/store.ts'
import { shelterPath } from '../../gallery/animals.ts'
import { navLink } from '../../page.ts'
import { wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'

/** The pages of an organization: the end of the path of each. */
const TABS = { details: '', questions: '/questions', website: '/website' } as const

export type Tab = keyof typeof TABS

export const tabPath = (id: number, tab: Tab): string => `${PREFIX}/organizations/${id}${TABS[tab]}`

/** The heading of an organization, with links to its pages and to the page that the public sees. */
export function organizationHead(
  request: FastifyRequest,
  { id, name, code }: Pick<StoredOrganization, 'id' | 'name' | 'code'>,
  current: Tab,
): Html {
  const { tabs } = wordsFor(request).words.organization
  const links = (Object.keys(TABS) as Tab[]).map(
    (tab) => html`<li>${navLink(tabPath(id, tab), tabs[tab], tabPath(id, current))}</li>`,
  )
  return html`<h1>${name} <small>${code}</small></h1>
<nav aria-label="${name}"><ul class="kinds tabs">${links}<li><a href="${shelterPath(code)}">${tabs.public}</a></li></ul></nav>`
}
