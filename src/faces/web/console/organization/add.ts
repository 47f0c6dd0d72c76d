import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../../../context.ts'
import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import type { FormBody } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { bodyReader } from '../../../../http/judge-body.ts'
import { Type } from '../../../../http/type.ts'
import { located } from '../../../../organizations/locate.ts'
import { Code, NewOrganization } from '../../../../organizations/schema.ts'
import { type Problem, problemSummary } from '../../forms.ts'
import type { Texts } from '../../texts/texts.ts'
import { newOnce, ONCE, runOnce } from '../forms/once.ts'
import { NON_FIELD, problemsOf } from '../forms/problems.ts'
import { bodyOf, readValues, type Values } from '../forms/values.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { PREFIX } from '../pages.ts'
import { formOf, NEW_FIELDS, NEW_GROUPS } from './fields.ts'
import { fieldsIn } from './form.ts'

const PATH = '/organizations/new'

const { name, ...others } = NewOrganization.properties

/**
 * A program may leave the code to the service. A person chooses it: it is what others see, and for good.
 * What is missing is told in the order of the form.
 */
const readNew = bodyReader(Type.Object({ name, ...others, code: Code }))

/** Adds a shelter or rescue. */
export function addOrganization(app: App, context: Context): void {
  app.get(PATH, (request) => page(request, {}, []))

  app.post(PATH, async (request, reply) => {
    const form = request.body as FormBody
    const values = readValues(form, NEW_FIELDS)
    try {
      const organization = await located(readNew(bodyOf(values, NEW_FIELDS)))
      const { id } = await runOnce(request, form, (key) =>
        context.writeOnce(key, changes.insertOrganization, organization, context.clock()),
      )
      return reply.redirect(`${PREFIX}/organizations/${id}?done=organizationAdded`, 303)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      return refused(request, reply, values, error)
    }
  })
}

function refused(request: FastifyRequest, reply: FastifyReply, values: Values, error: ApiError): string {
  reply.code(error.status)
  return page(request, values, newProblems(error, wordsFor(request).words))
}

function newProblems(error: ApiError, words: Texts['console']): Problem[] {
  if (error.code === 'organization_exists') return [{ field: 'code', message: words.organization.codeTaken }]
  return problemsOf(error, words, formOf(words))
}

function page(request: FastifyRequest, values: Values, problems: readonly Problem[]): string {
  const { language, words } = wordsFor(request)
  const { organization: own, animal } = words
  const main = html`<h1>${own.add}</h1><p class="lead">${own.addLead}</p>
<form class="animal" id="field-${NON_FIELD}" method="post" action="${PREFIX}${PATH}" novalidate data-guard>
${problemSummary(animal.wrong, problems)}<input type="hidden" name="${ONCE}" value="${newOnce()}">
${fieldsIn(NEW_GROUPS, { values, problems, words: own, language })}<div class="actions"><button>${own.addButton}</button>
<a class="quiet" href="${PREFIX}/organizations">${animal.cancel}</a></div></form>`
  return consolePage(request, { title: own.add, main })
}
