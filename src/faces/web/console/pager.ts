import type { FastifyRequest } from 'fastify'
import { type Html, html } from '../../../http/html.ts'
import { wordsFor } from './frame.ts'
import { wholeNumberOf } from './whole-number.ts'

export const PAGE = 50

/** Behind which row a page of a list begins, as the address has it. */
export function afterIn({ query }: FastifyRequest): number | undefined {
  return wholeNumberOf((query as { after?: unknown }).after)
}

/** Cuts what was found, one more than a page, and links the next page. */
export function paged<Row extends { id: number }>(
  request: FastifyRequest,
  found: readonly Row[],
  path: string,
): { rows: readonly Row[]; pager: Html | undefined } {
  const { animals } = wordsFor(request).words
  const rows = found.slice(0, PAGE)
  const isFirst = afterIn(request) === undefined
  const next = found.length > PAGE ? rows.at(-1)?.id : undefined
  if (isFirst && next === undefined) return { rows, pager: undefined }
  const pager = html`<p class="pager">${!isFirst && html`<a class="button plain" href="${path}">${animals.first}</a>`}
${next !== undefined && html`<a class="button plain" rel="next" href="${path}?after=${next}">${animals.next}</a>`}</p>`
  return { rows, pager }
}
