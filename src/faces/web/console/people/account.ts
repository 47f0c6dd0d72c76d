import { changes } from '../../../../db/change.ts'
import { ApiError } from '../../../../errors.ts'
import { readField } from '../../../../http/form-body.ts'
import { html } from '../../../../http/html.ts'
import { authorityOf } from '../../../../staff/accounts.ts'
import { MAX_NAME } from '../../../../staff/roles.ts'
import { CLEAR_SESSION_COOKIE } from '../../../../staff/session-cookie.ts'
import { changePassword } from '../../../../staff/sign-in.ts'
import * as staff from '../../../../staff/store.ts'
import { type Problem, problemSummary, textField } from '../../forms.ts'
import { consolePage } from '../frame.ts'
import { passwordField, personProblems, takeSession } from '../sign-in/sign-in.ts'
import { PREFIX, type Routes, type Visit } from '../visit.ts'

const ACCOUNT = `${PREFIX}/account`

/** The account of the person who is signed in: name, password and sessions. */
export function accountPages({ get, post }: Routes): void {
  get('/account', page)
  post('/account', rename)
  post('/account/password', setPassword, { share: 'signIns' })
  post('/account/sign-out', async ({ write, caller, reply }) => {
    await write(changes.endSessionsOf, authorityOf(caller).id)
    return reply
      .header('set-cookie', CLEAR_SESSION_COOKIE)
      .redirect(`${PREFIX}/sign-in?done=signedOutAll`, 303)
  })
}

async function rename(visit: Visit): Promise<unknown> {
  const { reply } = visit
  const by = authorityOf(visit.caller)
  const name = readField(visit.form, 'name')
  try {
    await visit.write(changes.updateStaff, by.id, { name }, by)
    return reply.redirect(`${ACCOUNT}?done=saved`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    reply.code(error.status)
    return page(visit, { name, problems: personProblems(error, {}, visit.words) })
  }
}

async function setPassword(visit: Visit): Promise<unknown> {
  const { reply, form, words } = visit
  const { id } = authorityOf(visit.caller)
  const typed = { current: form.get('current') ?? '', password: form.get('password') ?? '' }
  const refuse = (status: number, problems: Problem[]) => {
    reply.code(status)
    return page(visit, { problems })
  }
  try {
    const result = await changePassword(visit.context, id, typed)
    if (result.outcome === 'refused')
      return await refuse(400, [{ field: 'current', message: words.account.wrongPassword }])
    if (result.outcome === 'wait') {
      const { retryAfterSeconds } = result
      reply.header('retry-after', String(retryAfterSeconds))
      const message = words.signIn.problems.wait(Math.ceil(retryAfterSeconds / 60))
      return await refuse(429, [{ field: 'current', message }])
    }
    await takeSession(visit, result)
    return reply.redirect(`${ACCOUNT}?done=passwordChanged`, 303)
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    return refuse(error.status, personProblems(error, typed, words))
  }
}

interface Refusal {
  name?: string
  problems: readonly Problem[]
}

async function page(visit: Visit, { name, problems }: Refusal = { problems: [] }): Promise<string> {
  const { db, words } = visit
  const { account, people, signIn, join } = words
  const own = await staff.find(db, authorityOf(visit.caller).id)
  const email = own?.email ?? ''
  return consolePage(visit, {
    title: account.title,
    main: html`<div class="narrow"><h1>${account.title}</h1>${problemSummary(signIn.wrong, problems)}
<form class="card" method="post" action="${ACCOUNT}" novalidate>
${textField({
  ...{
    name: 'name',
    label: join.name,
    hint: join.nameHint,
    value: name ?? own?.name,
    required: true,
    problems,
  },
  ...{ autocomplete: 'name', maxLength: MAX_NAME },
})}
<dl class="facts"><dt>${signIn.email}</dt><dd>${email}</dd><dt>${people.role}</dt><dd>${words.roles[own?.role ?? '']}</dd></dl>
<p><button>${words.animal.save}</button></p></form>
<section class="card" aria-labelledby="password"><h2 id="password">${account.password}</h2><p>${account.passwordHint}</p>
<form method="post" action="${ACCOUNT}/password" novalidate>
<input type="text" name="username" value="${email}" autocomplete="username" hidden>
${passwordField({ name: 'current', label: account.current, isNew: false, problems }, words)}
${passwordField({ name: 'password', label: account.next, isNew: true, problems }, words)}
<button>${account.change}</button></form></section>
<section class="card" aria-labelledby="everywhere"><h2 id="everywhere">${account.everywhere}</h2><p>${account.everywhereHint}</p>
<form method="post" action="${ACCOUNT}/sign-out"><button class="plain">${account.everywhereButton}</button></form></section></div>`,
  })
}
