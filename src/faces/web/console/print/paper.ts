import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../../http/html.ts'
import { languageOf } from '../../../../http/language.ts'
import { renderPage } from '../../page.ts'
import { textsOf } from '../../texts/texts.ts'

interface Paper {
  title: string
  /** The path of the page to return to, and its name. */
  back: { path: string; name: string }
  main: Html
}

/** A page that fits A4 and Letter. The link back and the button to print are not printed. */
export function paperPage(request: FastifyRequest, { title, back, main }: Paper): string {
  const language = languageOf(request.headers)
  const { papers } = textsOf(language)
  return renderPage({
    ...{ language, title, style: 'paper.css', scripts: ['paper.js'] },
    header: html`<header class="bar unprinted"><a href="${back.path}">← ${back.name}</a>
<button type="button" data-print hidden>${papers.print}</button></header>`,
    main,
  })
}
