import { type Html, html, type Part } from '../../../http/html.ts'
import type { Language } from '../language.ts'
import { navLink, type PageParts, renderPage } from '../page.ts'
import { textsOf } from '../texts/texts.ts'

type Inside = Pick<PageParts, 'title' | 'description' | 'head' | 'main' | 'scripts'> & {
  language: Language
  /** Of the page itself. */
  path: string
}

/** A page of the gallery, with what stands around all of them. */
export function galleryPage({ language, path, ...inside }: Inside): string {
  return renderPage({ ...inside, language, style: 'gallery.css', header: header(language, path) })
}

function header(language: Language, path: string): Html {
  const { common } = textsOf(language)
  const links: Part[] = [navLink('/animals', common.gallery, path), navLink('/console', common.staff, path)]
  return html`<header class="bar"><a class="home" href="/">adoptable</a><nav class="bar">${links}</nav></header>`
}
