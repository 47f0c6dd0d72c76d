import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../../http/caller.ts'
import { type Html, html, type Part } from '../../../http/html.ts'
import { type Language, languageOf } from '../../../http/language.ts'
import type { Right } from '../../../staff/roles.ts'
import { type PageParts, renderPage } from '../page.ts'
import { type Texts, textsOf } from '../texts/texts.ts'
import { consoleFoot } from './error-page.ts'
import { callerMay } from './gate.ts'
import { PREFIX } from './pages.ts'

/** What every page offers, to those who may use it. */
const NAV = [
  ['/', 'start', 'seeNumbers'],
  ['/animals', 'animals', 'seeAnimals'],
  ['/applications', 'applications', 'seeAdopters'],
  ['/import', 'import', 'changeAnimals'],
  ['/organizations', 'organization', 'changeOrganization'],
  ['/usage', 'usage', 'manageKeys'],
  ['/people', 'people', 'managePeople'],
  ['/keys', 'keys', 'manageKeys'],
] as const satisfies (readonly [path: string, name: keyof Texts['console']['nav'], right: Right])[]

interface Inside {
  title: string
  main: Part
  scripts?: PageParts['scripts']
}

/** A page of the console, with what stands around all of them. */
export function consolePage(request: FastifyRequest, { title, main, scripts = [] }: Inside): string {
  const language = languageOf(request.headers)
  const { console: words } = textsOf(language)
  return renderPage({
    language,
    title: `${title} – ${words.title}`,
    style: 'console.css',
    scripts: ['console.js', ...scripts],
    header: header(language, request),
    main: html`${notice(request, words)}${main}`,
    footer: consoleFoot(language),
  })
}

/** Texts of the console, and the language that they are in. */
export function wordsFor({ headers }: Pick<FastifyRequest, 'headers'>) {
  const language = languageOf(headers)
  const { common, console: words } = textsOf(language)
  return { language, common, words }
}

function header(language: Language, { url, caller }: FastifyRequest): Html {
  const { console: words } = textsOf(language)
  const path = url.split('?', 1)[0]?.slice(PREFIX.length) ?? ''
  const links = NAV.filter(([, , right]) => callerMay(caller, right)).map(
    ([to, name]) =>
      html`<li><a href="${PREFIX}${to}"${isIn(path, to) && html` aria-current="${path === to ? 'page' : 'true'}"`}>${words.nav[name]}</a></li>`,
  )
  return html`<header class="side">
<a class="home" href="${PREFIX}/">adoptable</a>
<nav aria-label="${words.title}"><ul>${links}</ul></nav>
${who(words, caller)}
</header>`
}

const isIn = (path: string, to: string): boolean => path === to || (to !== '/' && path.startsWith(`${to}/`))

function who(words: Texts['console'], { staff }: Caller): Html | undefined {
  return (
    staff &&
    html`<div class="who"><a href="${PREFIX}/account">${staff.name}</a> <small>${words.roles[staff.role]}</small>
<form method="post" action="${PREFIX}/sign-out"><button class="plain">${words.signOut}</button></form></div>`
  )
}

/** What the change did that led here, by a name in the address: an address can say nothing of its own. */
function notice({ query }: FastifyRequest, words: Texts['console']): Html | undefined {
  const { done } = query as { done?: unknown }
  const text = Object.hasOwn(words.notices, String(done)) && words.notices[String(done)]
  return text ? html`<p class="notice" role="status">${text}</p>` : undefined
}
