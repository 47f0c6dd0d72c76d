import { type Html, html, type Part } from '../../../http/html.ts'
import type { Language } from '../../../http/language.ts'
import { languageLinks } from '../language-choice.ts'
import { navLink, type PageParts, renderPage } from '../page.ts'
import { textsOf } from '../texts/texts.ts'

type Inside = Pick<PageParts, 'title' | 'description' | 'head' | 'main' | 'scripts'> & {
  language: Language
  /** Of the page itself. */
  path: string
}

/** A page of the gallery, with what stands around all of them. */
export function galleryPage({ language, path, head, ...inside }: Inside): string {
  return renderPage({
    ...inside,
    language,
    style: 'gallery.css',
    head: html`<link rel="alternate" type="application/atom+xml" href="/animals.atom" title="${
      textsOf(language).gallery.feed
    }">
${head}`,
    header: header(language, path),
    footer: footer(language),
  })
}

/** A house with a heart in it. */
const LOGO = html`<svg class="logo" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true"><path d="M16 3 3 13.6V28a1.5 1.5 0 0 0 1.5 1.5h23A1.5 1.5 0 0 0 29 28V13.6z" fill="currentColor"/><path class="heart" d="M16 25.2c-5-3.6-7.6-6-7.6-9a4 4 0 0 1 7.6-1.8 4 4 0 0 1 7.6 1.8c0 3-2.6 5.4-7.6 9z"/></svg>`

function header(language: Language, path: string): Html {
  const { common } = textsOf(language)
  const links: Part[] = [navLink('/animals', common.gallery, path), navLink('/console', common.staff, path)]
  return html`<header class="top"><div class="bar"><a class="home" href="/">${LOGO}adoptable</a><nav>${links}</nav></div></header>`
}

function footer(language: Language): Html {
  const { gallery } = textsOf(language)
  return html`<footer class="foot"><p>${gallery.footer}</p><p><a href="/animals.atom">${gallery.feedLink}</a></p><p>${languageLinks(language)}</p></footer>`
}
