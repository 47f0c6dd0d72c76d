import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { html } from '../../../../http/html.ts'
import { publicOrigin } from '../../../../http/link.ts'
import { consolePage, copyField, wordsFor } from '../frame.ts'
import { ownOrganization } from './organization.ts'
import { organizationHead } from './tabs.ts'

/** The page with the line that shows the animals of an organization on its own website. */
export function websitePage(app: App, context: Context): void {
  app.get('/organizations/:id/website', async (request) => {
    const { words } = wordsFor(request)
    const { website } = words.organization
    const organization = await ownOrganization(context, request)
    const origin = publicOrigin(context.config, request)
    const frame = `${origin}/embed?organization=${organization.code}`
    const script = `<script src="${origin}/embed.js" data-organization="${organization.code}" async></script>`
    const iframe = `<iframe src="${frame}" title="${website.frameTitle}" width="100%" height="800"></iframe>`
    const main = html`${organizationHead(request, organization, 'website')}
<p class="lead">${website.lead}</p>
<div class="card">${copyField(words, { id: 'script', label: website.script, text: script, rows: 4 })}
<p>${website.hint}</p></div>
<div class="card">${copyField(words, { id: 'iframe', label: website.iframe, text: iframe, rows: 4 })}
<p>${website.iframeHint}</p></div>
<p><a href="${frame}">${website.preview}</a></p>`
    return consolePage(request, { title: `${words.organization.tabs.website} – ${organization.name}`, main })
  })
}
