import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Role } from '../../../../access.ts'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, textIn } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { publicOrigin } from '../../../../http/link.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { type Invited, invite, linkOf, sendLink } from '../../../../staff/join.ts'
import { MOST_EMAIL, MOST_NAME } from '../../../../staff/person.ts'
import { rolesUpTo } from '../../../../staff/roles.ts'
import { type Problem, problemSummary, radioField, textField } from '../../forms.ts'
import { organizationField, readOrganizationId } from '../forms/organization-field.ts'
import { consolePage, wordsFor } from '../frame.ts'
import { shownOnce } from '../shown-once.ts'
import { personProblems } from '../sign-in/problems.ts'
import { PEOPLE } from './list.ts'

const NONE = { name: '', email: '', role: 'staff', organizationId: '' }

/** Invites somebody, and shows the link by which they join. */
export function invitePeople(app: App, context: Context): void {
  app.get('/people/new', (request) => page(context, request, NONE))

  app.post('/people/new', async (request, reply) => {
    const form = request.body as FormBody
    const [name, email, role] = [textIn(form, 'name'), textIn(form, 'email'), textIn(form, 'role')]
    const typed = { name, email, role, organizationId: textIn(form, 'organizationId') }
    try {
      const organizationId = readOrganizationId(form, request)
      const person = { name, email, role: role as Role, organizationId }
      const invited = await invite(context, person, authorityOf(request.caller))
      const { people } = wordsFor(request).words
      return await shownLink(context, request, { ...invited, email, title: people.invitedTitle(name) })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
      return refused(context, request, reply, typed, error)
    }
  })
}

type Typed = typeof NONE

function refused(
  context: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  typed: Typed,
  error: ApiError,
) {
  reply.code(error.status)
  return page(context, request, typed, personProblems(error, typed, wordsFor(request).words))
}

async function page(
  context: Context,
  request: FastifyRequest,
  { name, email, role, organizationId }: Typed,
  problems: readonly Problem[] = [],
): Promise<string> {
  const { words } = wordsFor(request)
  const { people, signIn } = words
  const own = { value: organizationId, problems }
  const roles = rolesUpTo(request.caller.staff?.role ?? 'viewer')
  const offered = roles.filter((one) => one !== 'admin' || request.caller.organizationId === undefined)
  return consolePage(request, {
    title: people.inviteTitle,
    main: html`<div class="narrow"><h1>${people.inviteTitle}</h1><p class="lead">${people.inviteLead}</p>
<form class="card" method="post" action="${PEOPLE}/new" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({ name: 'name', label: people.name, value: name, required: true, problems, autocomplete: 'off', mostCharacters: MOST_NAME })}
${textField({
  ...{ name: 'email', label: signIn.email, value: email, type: 'email', required: true, problems },
  ...{ autocomplete: 'off', mostCharacters: MOST_EMAIL },
})}
${radioField({
  ...{ name: 'role', label: people.role, value: role, problems },
  choices: offered.map((one) => [one, `${words.roles[one]}: ${people.roleHints[one]}`]),
})}
${await organizationField(context, request, { ...own, hint: people.organizationHint })}
<div class="row"><button>${people.inviteButton}</button><a class="quiet" href="${PEOPLE}">${words.animal.cancel}</a></div></form></div>`,
  })
}

/** The link of somebody, this once; sent to them too where there is a mail server. */
export async function shownLink(
  context: Context,
  request: FastifyRequest,
  { token, email, title }: Invited & { email: string; title: string },
): Promise<string> {
  const { language, words } = wordsFor(request)
  const { people } = words
  const origin = publicOrigin(context.config, request)
  const isSent = await sendLink(context, token, { origin, language })
  return shownOnce(request, {
    ...{ title, lead: isSent ? people.sent(email) : people.handOver(email) },
    ...{ label: people.link, secret: linkOf(origin, token), back: { path: PEOPLE, text: people.toList } },
  })
}
