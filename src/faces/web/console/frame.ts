import type { IncomingHttpHeaders } from 'node:http'
import type { Config } from '../../../config.ts'
import type { ApiError } from '../../../errors.ts'
import type { Caller } from '../../../http/caller.ts'
import type { Face } from '../../../http/face.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { wholeNumberOf } from '../../../http/int64.ts'
import { LANGUAGE_VARY, type Language } from '../../../http/language.ts'
import type { Right } from '../../../staff/roles.ts'
import { HTML_TYPE, languageLinks, type PageParts, pageHeaders, renderPage } from '../page.ts'
import { type Texts, textsOf } from '../texts/texts.ts'
import { PREFIX, type Visit, wordsFor } from './visit.ts'

/** The navigation, with the right that each link requires. */
const NAV = [
  ['/', 'start', 'seeNumbers'],
  ['/animals', 'animals', 'seeAnimals'],
  ['/applications', 'applications', 'seeAdopters'],
  ['/import', 'import', 'changeAnimals'],
  ['/statistics', 'statistics', 'seeNumbers'],
  ['/organizations', 'organization', 'changeOrganization'],
  ['/usage', 'usage', 'manageKeys'],
  ['/people', 'people', 'managePeople'],
  ['/keys', 'keys', 'manageKeys'],
  ['/webhooks', 'webhooks', 'manageWebhooks'],
  ['/events', 'events', 'seeAnimals'],
] as const satisfies (readonly [path: string, name: keyof Texts['console']['nav'], right: Right])[]

interface ConsolePage {
  title: string
  main: Part
  scripts?: PageParts['scripts']
}

/** A page of the console, with the header and footer of all pages. */
export function consolePage(visit: Visit, { title, main, scripts = [] }: ConsolePage): string {
  const { language, words } = visit
  return renderPage({
    language,
    title: `${title} – ${words.title}`,
    style: 'console.css',
    scripts: ['console.js', ...scripts],
    header: header(visit),
    main: html`${notice(visit)}${main}`,
    footer: footer(language),
  })
}

function header({ request, caller, may, words }: Visit): Html {
  const path = request.url.split('?', 1)[0]?.slice(PREFIX.length) ?? ''
  const links = NAV.filter(([, , right]) => may(right)).map(
    ([to, name]) =>
      html`<li><a href="${PREFIX}${to}"${isIn(path, to) && html` aria-current="${path === to ? 'page' : 'true'}"`}>${words.nav[name]}</a></li>`,
  )
  return html`<header class="side">
<a class="home" href="${PREFIX}/">adoptable</a>
<nav aria-label="${words.title}"><ul>${links}</ul></nav>
${account(words, caller)}
</header>`
}

const footer = (language: Language): Html => html`<footer class="foot">${languageLinks(language)}</footer>`

const isIn = (path: string, to: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`))

function account(words: Texts['console'], { staff }: Caller): Html | undefined {
  return (
    staff &&
    html`<div class="who"><a href="${PREFIX}/account">${staff.name}</a> <small>${words.roles[staff.role]}</small>
<form method="post" action="${PREFIX}/sign-out"><button class="plain">${words.signOut}</button></form></div>`
  )
}

/** The notice after a change. The address only names the notice, so it cannot supply its own text. */
function notice({ query, words }: Visit): Html | undefined {
  const { done } = query
  const text = Object.hasOwn(words.notices, String(done)) && words.notices[String(done)]
  return text ? html`<p class="notice" role="status">${text}</p>` : undefined
}

/** A page without navigation, also for people who are not signed in. */
export function barePage(
  language: Language,
  title: string,
  main: Html,
  scripts: PageParts['scripts'] = [],
): string {
  const { console: words } = textsOf(language)
  return renderPage({
    language,
    title: `${title} – ${words.title}`,
    style: 'console.css',
    scripts,
    header: html`<header class="bar"><a class="home" href="${PREFIX}/">adoptable</a></header>`,
    main: html`<div class="narrow"><h1>${title}</h1>
${main}</div>`,
    footer: footer(language),
  })
}

/** An error page with a link to the overview. */
export function consoleError(
  { status, code }: ApiError,
  headers: IncomingHttpHeaders,
  config: Config,
): ReturnType<Face['writeError']> {
  const { language, common, words } = wordsFor({ headers })
  const title = common.errorTitles[status] ?? common.errorTitles[status < 500 ? 400 : 500] ?? ''
  const advice = words.errors[code] ?? common.errorAdvice[status]
  const body = barePage(
    language,
    title,
    html`<p>${advice}</p>
<p><a href="${PREFIX}/">${words.toStart}</a></p>`,
  )
  return {
    type: HTML_TYPE,
    body,
    headers: { ...pageHeaders(config, { isolated: true }), vary: LANGUAGE_VARY },
  }
}

/** The answer to a form that was sent after the session had ended. */
export function signedOutPage(headers: IncomingHttpHeaders): string {
  const { language, words } = wordsFor({ headers })
  const { signedOut } = words
  return barePage(
    language,
    signedOut.title,
    html`<p>${signedOut.advice}</p>
<p><a class="button" href="${PREFIX}/sign-in" target="_blank" rel="noopener">${signedOut.link}</a></p>`,
  )
}

interface Confirmation {
  title: string
  text: Part
  /** The label of the button. The form is sent to the address of the page. */
  yes: string
  /** The page to return to without the change. */
  back: string
}

/** The page that asks before something is removed. */
export function confirmPage(visit: Visit, { title, text, yes, back }: Confirmation): string {
  const { animal } = visit.words
  return consolePage(visit, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
${text}
<form method="post" class="row"><button class="danger">${yes}</button>
<a class="button plain" href="${back}">${animal.removeNo}</a></form></div>`,
  })
}

const ROWS_PER_PAGE = 50

interface ListPage {
  organizationId: number | undefined
  limit: number
  after?: number
}

/** One page of a list in the order of ids, with links to the first page and the next page. */
export async function pageOf<Row extends { id: number }>(
  visit: Visit,
  path: string,
  list: (part: ListPage) => Promise<Row[]>,
): Promise<{ rows: readonly Row[]; pager: Part }> {
  const { list: words } = visit.words
  const { organizationId } = visit.caller
  const after = wholeNumberOf(visit.query.after)
  // Reads one more row to know whether there is a next page.
  const part = { organizationId, limit: ROWS_PER_PAGE + 1, ...(after !== undefined && { after }) }
  const found = await list(part)
  const rows = found.slice(0, ROWS_PER_PAGE)
  const next = found.length > ROWS_PER_PAGE && `${path}?after=${rows.at(-1)?.id}`
  const first = after !== undefined && path
  return { rows, pager: (first || next) && pagerOf(words, first, next) }
}

/** Links to the first and the next page of a list, if there are such pages. */
export function pagerOf(
  words: { first: string; next: string },
  first: string | false,
  next: string | false | undefined,
): Html {
  return html`<p class="pager">${first && html`<a class="button plain" href="${first}">${words.first}</a>`}
${next && html`<a class="button plain" rel="next" href="${next}">${words.next}</a>`}</p>`
}

interface Secret {
  title: string
  lead: string
  label?: string
  /** A link or a key that no other page shows. Absent if the service sent it by e-mail only. */
  secret?: string
  back: { path: string; text: string }
}

/** The page that shows a secret once, with a button to copy it. */
export function shownOnce(visit: Visit, { title, lead, label, secret, back }: Secret): string {
  const { words } = visit
  return consolePage(visit, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
<p class="lead">${lead}</p>
${
  secret !== undefined &&
  html`<div class="card">${copyField(words, { id: 'secret', label, text: secret, rows: 2 })}
<p>${words.people.onlyOnce}</p></div>`
}
<p><a href="${back.path}">${back.text}</a></p></div>`,
  })
}

interface CopyField {
  id: string
  label: string | undefined
  text: string
  rows: number
}

/** A text with a button to copy it. Each card of a page may have one. */
export function copyField({ people }: Texts['console'], { id, label, text, rows }: CopyField): Html {
  return html`<label for="${id}">${label}</label>
<div class="secret"><textarea id="${id}" rows="${rows}" readonly autocomplete="off" spellcheck="false">${text}</textarea>
<button class="plain" type="button" data-copies="${id}" data-copied="${people.copied}" hidden>${people.copy}</button></div>
<p class="hint" role="status"></p>`
}
