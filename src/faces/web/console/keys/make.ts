import type { FastifyRequest } from 'fastify'
import type { Access } from '../../../../access.ts'
import type { Context } from '../../../../context.ts'
import { ApiError } from '../../../../errors.ts'
import type { App } from '../../../../http/app.ts'
import { type FormBody, readField } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { isKeyName, MAX_KEY_NAME, makeKey } from '../../../../keys/make.ts'
import type { NewKey } from '../../../../keys/store.ts'
import * as organizations from '../../../../organizations/store.ts'
import { type Limits, PLANS, type Plan } from '../../../../plans.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { accessUpTo, mayManageKey } from '../../../../staff/roles.ts'
import { type Problem, problemSummary, radioField, selectField, textField } from '../../forms.ts'
import { wholeNumberOf } from '../address.ts'
import { organizationField } from '../choices.ts'
import { consolePage, shownOnce, wordsFor } from '../frame.ts'
import { KEYS } from './keys.ts'

const MAX_REQUESTS = 9_999_999_999

const FIELDS = ['name', 'access', 'plan', 'perMinute', 'perDay', 'organizationId'] as const
type KeyInput = Record<(typeof FIELDS)[number], string>

const NEW: KeyInput = {
  ...{ name: '', access: 'read', plan: 'free', perMinute: '', perDay: '', organizationId: '' },
}

/** The page that creates a key and shows it once. */
export function newKeyPages(app: App, context: Context): void {
  app.get('/keys/new', (request) => page(context, request, NEW))

  app.post('/keys/new', async (request, reply) => {
    const form = request.body as FormBody
    const typed = Object.fromEntries(FIELDS.map((name) => [name, readField(form, name)])) as KeyInput
    const { key, problems } = await read(context, request, typed)
    if (!key) {
      reply.code(400)
      return page(context, request, typed, problems)
    }
    if (!mayManageKey(authorityOf(request.caller), key)) throw new ApiError('insufficient_access')
    const { write, config, clock } = context
    const { id, secret } = await makeKey(write, config.environment, key, clock())
    const { words } = wordsFor(request)
    return shownOnce(request, {
      title: words.keys.madeTitle(key.name),
      lead: words.keys.madeLead(id),
      label: words.keys.key,
      secret,
      back: { path: KEYS, text: words.keys.toList },
    })
  })
}

/** Reads and validates the form with the same rules as the command. */
async function read(
  { db }: Context,
  request: FastifyRequest,
  typed: KeyInput,
): Promise<{ key?: NewKey; problems: Problem[] }> {
  const { problems: words } = wordsFor(request).words.keys
  const { role, organizationId: own } = authorityOf(request.caller)
  const problems: Problem[] = []
  const addProblem = (field: keyof KeyInput, message: string): void => void problems.push({ field, message })
  const { name, access, plan } = typed
  if (!isKeyName(name)) addProblem('name', words.name)
  if (!accessUpTo(role).includes(access as Access)) addProblem('access', words.access)
  if (!plansFor(role).includes(plan as Plan)) addProblem('plan', words.plan)
  const chosen = typed.organizationId === '' ? undefined : (wholeNumberOf(typed.organizationId) ?? 0)
  const organizationId = own ?? chosen
  const exists = organizationId === undefined || (await organizations.find(db, organizationId))
  if (!exists) addProblem('organizationId', words.organization)
  if (access === 'admin' && organizationId !== undefined) addProblem('access', words.admin)
  const limits = plan === 'enterprise' ? limitsIn(typed, addProblem, words.count) : undefined
  if (problems.length > 0) return { problems }
  return { problems, key: { name, access: access as Access, plan: plan as Plan, organizationId, limits } }
}

function limitsIn(
  { perMinute, perDay }: KeyInput,
  addProblem: (field: 'perMinute' | 'perDay', message: string) => void,
  message: string,
): Limits {
  const count = (field: 'perMinute' | 'perDay', text: string): number => {
    const value = wholeNumberOf(text) ?? 0
    if (value < 1 || value > MAX_REQUESTS) addProblem(field, message)
    return value
  }
  return { perMinute: count('perMinute', perMinute), perDay: count('perDay', perDay) }
}

/** Only an admin can give the plan with custom limits. */
function plansFor(role: string): Plan[] {
  const all = Object.keys(PLANS) as Plan[]
  return role === 'admin' ? all : all.filter((plan) => PLANS[plan] !== 'custom')
}

async function page(
  context: Context,
  request: FastifyRequest,
  typed: KeyInput,
  problems: readonly Problem[] = [],
): Promise<string> {
  const { words } = wordsFor(request)
  const { keys, signIn } = words
  const { role, organizationId } = authorityOf(request.caller)
  const offered = accessUpTo(role).filter((one) => one !== 'admin' || organizationId === undefined)
  const plans = plansFor(role)
  const own = { value: typed.organizationId, problems }
  const limitField = (name: 'perMinute' | 'perDay', label: string) =>
    textField({ name, label, value: typed[name], problems, inputMode: 'numeric', hint: keys.enterpriseOnly })
  return consolePage(request, {
    title: keys.makeTitle,
    main: html`<div class="narrow"><h1>${keys.makeTitle}</h1><p class="lead">${keys.makeLead}</p>
<form class="card" method="post" action="${KEYS}/new" novalidate>${problemSummary(signIn.wrong, problems)}
${textField({
  ...{ name: 'name', label: keys.name, hint: keys.nameHint, value: typed.name, required: true, problems },
  ...{ autocomplete: 'off', maxLength: MAX_KEY_NAME },
})}
${radioField({
  ...{ name: 'access', label: keys.access, value: typed.access, problems },
  choices: offered.map((one) => [one, `${keys.accesses[one]}: ${keys.accessHints[one]}`]),
})}
${selectField({
  ...{ name: 'plan', label: keys.plan, value: typed.plan, problems },
  choices: plans.map((plan) => [plan, planWords(plan, request)]),
})}
${plans.includes('enterprise') && [limitField('perMinute', keys.perMinute), limitField('perDay', keys.perDay)]}
${await organizationField(context, request, { ...own, hint: keys.organizationHint })}
<div class="row"><button>${keys.makeButton}</button><a class="quiet" href="${KEYS}">${words.animal.cancel}</a></div></form></div>`,
  })
}

function planWords(plan: Plan, request: FastifyRequest): string {
  const { keys } = wordsFor(request).words
  const figures: Limits | 'custom' = PLANS[plan]
  const limits = figures === 'custom' ? keys.ownFigures : keys.figures(figures.perMinute, figures.perDay)
  return `${keys.plans[plan]}: ${limits}`
}
