import type { FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { actorOf } from '../../../../http/caller.ts'
import { html } from '../../../../http/html.ts'
import type { StoredPet } from '../../../../pets/store.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { type ById, ownAnimal } from './own.ts'

/** Asks, and then removes an animal. */
export function removeAnimal(app: App, context: Context): void {
  const path = '/animals/:id/delete'
  const listWith = (done: string) => `${PREFIX}/animals?done=${done}`

  app.get<ById>(path, async (request: FastifyRequest) => page(request, await ownAnimal(context, request)))

  app.post<ById>(path, async (request: FastifyRequest, reply) => {
    const { caller } = request
    try {
      const stored = await ownAnimal(context, request)
      try {
        await context.write(changes.deletePet, { id: stored.id, by: actorOf(caller), now: context.clock() })
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'order_open') throw error
        reply.code(error.status)
        return page(request, stored, error)
      }
    } catch (error) {
      // Of two clicks the second finds nothing more.
      if (!(error instanceof ApiError) || error.code !== 'pet_not_found') throw error
      return reply.redirect(listWith('gone'), 303)
    }
    return reply.redirect(listWith('deleted'), 303)
  })
}

function page(request: FastifyRequest, { pet }: StoredPet, error?: ApiError): string {
  const { words } = wordsFor(request)
  const { animal } = words
  const title = animal.removeTitle(pet.name)
  return consolePage(request, {
    title,
    main: html`<div class="narrow"><h1>${title}</h1>
${error && html`<p class="summary problem" role="alert">${words.errors[error.code] ?? words.otherError}</p>`}
<p>${animal.removeHint}</p>
<form method="post" class="row"><button class="danger">${animal.removeYes}</button>
<a class="button plain" href="${PREFIX}/animals/${pet.id}">${animal.removeNo}</a></form></div>`,
  })
}
