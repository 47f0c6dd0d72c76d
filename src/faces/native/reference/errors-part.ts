import { ERRORS } from '../../../errors.ts'
import { type Html, html } from '../../../http/html.ts'
import { table } from './fields.ts'
import { pretty } from './pretty.ts'

/** The page's part on errors, from the one catalogue. */
export function errorsPart(): Html {
  const [status, message] = ERRORS.pet_not_found
  const rows = Object.entries(ERRORS).map(
    ([code, [of, meaning]]) => html`<tr id="error-${code}"><th scope="row"><code>${code}</code>
<small>${of}</small></th><td>${meaning}</td></tr>`,
  )
  return html`<section id="errors"><h2>Errors</h2>
<p>Whatever goes wrong, and wherever, the body is a JSON object of this shape:</p>
<pre><code>${pretty({ code: 'pet_not_found', message, status })}</code></pre>
<ul>
<li>Let your program decide by <code>code</code>. For one condition it is always the same. The message is
written for people, and its wording may change.</li>
<li>A 400 can have <code>details</code>, with one <a href="#schema-ErrorDetail">ErrorDetail</a> for each
problem, so that all can be mended at once.</li>
<li>A 5xx does not tell its cause. Give the operator its <code>X-Request-Id</code>: the log has the cause
under it.</li>
</ul>
${table('All error codes', ['Code and status', 'Meaning'], rows)}</section>`
}
