import type { Config } from '../../../config.ts'
import { ERRORS } from '../../../errors.ts'
import { type Html, html } from '../../../http/html.ts'
import { PLANS } from '../../../plans.ts'
import type { Call } from './description.ts'
import { badge, pretty, table } from './fields.ts'

type Site = Pick<Config, 'baseUrl' | 'environment'>

/** From nothing to the first answer. */
export function startPart({ baseUrl, environment }: Site): Html {
  const prefix = environment === 'production' ? 'adopt_live_' : 'adopt_test_'
  return html`<section id="start"><h2>Start</h2>
<ol>
<li><p>The base address of this service (${environment}) is <code>${baseUrl}</code>. All paths below follow
it.</p></li>
<li><p>Each request carries an API key. Ask whoever operates the service for one; it begins with
<code>${prefix}</code>. Operators make it with this command, which shows it once:</p>
<pre><code>adoptable keys create --name my-client --plan free</code></pre></li>
<li><p>Send a first request:</p>
<pre><code>export KEY=${prefix}…
curl -H "Authorization: Bearer $KEY" '${baseUrl}/pets?limit=3'</code></pre></li>
</ol>
<p>Or paste the key into the field on this page, open “Try it” of an operation below, and send. The key goes
to this server only, and this page forgets it when it is closed or loaded again.</p>
<p>Programs find all of this as an OpenAPI 3.1 description at <a href="/openapi.json">/openapi.json</a>.</p>
</section>`
}

/** What somebody who writes a client has to know beside the operations. */
export function clientsPart(): Html {
  return html`<section id="clients"><h2>Writing a client</h2>
<p>For TypeScript and JavaScript there is one: <code>@adoptable/client</code>, in the folder
<code>client/</code> of the source. It follows pages, retries and waits by itself;
<code>client/README.md</code> shows how.</p>
<h3>Pages${badge('beta')}</h3>
<p>A list comes in pages. While there is another, the <code>Link</code> header names it with
<code>rel="next"</code>: request that address as it stands, until it is missing. Cursors stay valid for ever
and through every change. To copy everything, begin with <code>sort=id</code>: no animal is met twice or
left out, even while others are added.</p>
<h3>Retries${badge('beta')}</h3>
<p>Give each <code>POST</code> and <code>PATCH</code> an <code>Idempotency-Key</code> of its own, such as a
UUID. If the answer is lost, send the same request with the same key: it takes effect once within 24 hours,
and a repeated answer says <code>Idempotent-Replayed: true</code>. Two codes belong to it:
<a href="#error-idempotency_key_in_use">idempotency_key_in_use</a> while the first request still runs, and
<a href="#error-idempotency_key_reused">idempotency_key_reused</a> for another body. A <code>GET</code>
changes nothing: just send it again.</p>
<h3>Waiting</h3>
<p>After a 429 or a 503 send nothing for the seconds in <code>Retry-After</code>. If the next try is refused
too, double the wait, add a random part, and give up after a few tries. Who keeps sending is
<a href="#bans">banned</a>. Better: stop when <code>X-RateLimit-Remaining</code> is 0, until the time in
<code>X-RateLimit-Reset</code>.</p>
<h3>Asking and changing under a condition</h3>
<p>Answers with animals have an <code>ETag</code>. Sent back as <code>If-None-Match</code> with a
<code>GET</code>, it saves the body: 304 means that nothing has changed. That of one animal, sent as
<code>If-Match</code> with a change, protects what others did since: 412 means that you should read again
first. <code>GET /pets?id=7</code> gets it; that of a longer page belongs to no animal.</p>
<h3>Numbers and unknown things</h3>
<p>Ids are int64 and exact. In JavaScript, numbers are exact up to 9,007,199,254,740,991 only. Ignore
members and headers that you do not know, and treat a code that you do not know by its status:
<a href="#compatibility">more may be added</a>.</p>
</section>`
}

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

const figure = new Intl.NumberFormat('en')

type Limited = Pick<Config, 'ban' | 'anonymous'>

/** Plans, headers and bans, with the figures of this very installation. */
export function limitsPart({ ban, anonymous }: Limited): Html {
  const plans = Object.entries(PLANS).map(([name, limits]) => {
    const figures =
      limits === 'custom' ? ['agreed', 'agreed'] : [limits.perMinute, limits.perDay].map(figure.format)
    return html`<tr><th scope="row">${name}</th>${figures.map((one) => html`<td>${one}</td>`)}</tr>`
  })
  const headers = Object.entries({
    'X-RateLimit-Limit': 'How many requests the window allows.',
    'X-RateLimit-Remaining': 'How many of them are left.',
    'X-RateLimit-Reset': 'When the window ends, in whole seconds of Unix time.',
    'X-Request-Id':
      'Names the request in the operator’s log. One that you send is kept: 1 to 128 of A-Z a-z 0-9 . _ -',
  }).map(([name, meaning]) => html`<tr><th scope="row"><code>${name}</code></th><td>${meaning}</td></tr>`)
  return html`<section id="limits"><h2>Limits</h2>
${table('Requests that a key may make', ['Plan', 'A minute', 'A day'], plans)}
<p>Both windows, of 60 seconds and of 24 hours, open with the first request that counts and are a key’s own,
however many connections use it. Every answer counts, errors too, but a 429 costs nothing. Requests without
a valid key are counted for the address they come from: ${figure.format(anonymous.perMinute)} a minute and
${figure.format(anonymous.perDay)} a day.</p>
${table('On every answer under /v1, whatever its status', ['Header', 'Meaning'], headers)}
<p>The three about limits describe whichever window has fewer requests left.</p>
<p>Beyond the limit the answer is a 429 <a href="#error-rate_limit_exceeded">rate_limit_exceeded</a>, and
<code>Retry-After</code> has the whole seconds after which a request is accepted again.</p>
<h3 id="bans">Bans</h3>
<p>More than ${figure.format(ban.afterRefusals)} refused requests within ${duration(ban.windowSeconds)}
ban a key for ${duration(ban.seconds)}. Each further ban within ${duration(ban.memorySeconds)} of the last
one is twice as long, up to ${duration(ban.longestSeconds)}. Meanwhile every answer is a 429
<a href="#error-api_key_banned">api_key_banned</a>, whose <code>Retry-After</code> leads to the end of the
ban. Requests during a ban do not prolong it.</p>
</section>`
}

/** A length of time in its largest whole unit. @param seconds at least 0 */
function duration(seconds: number): string {
  const [size, unit] = (
    [
      [3_600, 'hour'],
      [60, 'minute'],
    ] as const
  ).find(([one]) => seconds > one && seconds % one === 0) ?? [1, 'second']
  const count = seconds / size
  return `${figure.format(count)} ${unit}${count === 1 ? '' : 's'}`
}

export function deprecationsPart(calls: Call[]): Html {
  const rows = calls
    .filter(({ deprecated }) => deprecated)
    .map(
      ({ operationId, method, path, ...call }) => html`<tr>
<th scope="row"><a href="#${operationId}">${method} ${path}</a></th>
<td><time>${call['x-deprecated-sunset']}</time></td></tr>`,
    )
  return html`<section id="deprecations"><h2>Deprecations</h2>
${table('What goes, and when', ['Operation', 'Removed on, at 00:00 UTC'], rows)}
<p>Every answer of such an operation says so in three headers: <code>Deprecation</code>, since when;
<code>Sunset</code>, until when; and <code>Link</code>, with <code>rel="successor-version"</code>, what to
use instead. From that second on it answers 410
<a href="#error-endpoint_removed">endpoint_removed</a>.</p></section>`
}

export function compatibilityPart(): Html {
  return html`<section id="compatibility"><h2>Compatibility</h2>
<p>The version is the <code>/v1</code> of the address. Within it, a client that was right stays right.</p>
<h3 id="stability">Stable, beta, experimental</h3>
<dl>
<dt>no badge</dt><dd>Stable: nothing breaks within <code>/v1</code>.</dd>
<dt><span class="badge">beta</span></dt><dd>Meant to stay. It may still change; the changelog announces
it.</dd>
<dt><span class="badge">experimental</span></dt><dd>Being tried out. It may change or go; the changelog
announces it.</dd>
</dl>
<h3>What breaks, and what does not</h3>
<p>These would break a client, and do not happen to what is stable within <code>/v1</code>, other than by
the deprecation of a whole operation:</p>
<ul>
<li>removing or renaming an operation, a parameter, a member, a value or a header</li>
<li>requiring what was optional, accepting less than before, or giving a value another type or meaning</li>
<li>another status or error code for the same condition</li>
</ul>
<p>These may come with any release, and your client has to bear them:</p>
<ul>
<li>new paths, optional parameters, optional members and headers</li>
<li>new error codes of new operations, and another wording of a message</li>
<li>any change of what a cursor or an ETag looks like: they are to be sent back, not read</li>
</ul>
<h3>Notice</h3>
<p>A stable operation goes only after every answer of it has named the day in its <code>Sunset</code>
header; <a href="#deprecations">the one that goes</a> has done so since release 1.0.0, four years ahead.
What is beta or experimental has no fixed period: its notice is the changelog.</p>
</section>`
}
