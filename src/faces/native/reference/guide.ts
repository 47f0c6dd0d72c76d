import type { Config } from '../../../config.ts'
import { ERRORS } from '../../../errors.ts'
import { type Html, html } from '../../../http/html.ts'
import { PLANS } from '../../../plans.ts'
import type { Call } from './description.ts'
import { badge, pretty, table } from './fields.ts'

type SiteSettings = Pick<Config, 'baseUrl' | 'environment'>

/** How to get a key and send the first request. */
export function startPart({ baseUrl, environment }: SiteSettings): Html {
  const prefix = environment === 'production' ? 'adopt_live_' : 'adopt_test_'
  return html`<section id="start"><h2>Get started</h2>
<ol>
<li><p>The base URL of this service (${environment}) is <code>${baseUrl}</code>. All paths below are relative
to it.</p></li>
<li><p>Every request needs an API key. Ask the operator of the service for one. It begins with
<code>${prefix}</code>. Operators create a key with this command, which shows it only once:</p>
<pre><code>adoptable keys create --name my-client --plan free</code></pre></li>
<li><p>Send your first request:</p>
<pre><code>export KEY=${prefix}…
curl -H "Authorization: Bearer $KEY" '${baseUrl}/pets?limit=3'</code></pre></li>
</ol>
<p>Or try an operation on this page: paste your key into the field, open “Try it” below the operation and
send the request. The key goes only to this server. The page forgets it when you close or reload it.</p>
<p>The OpenAPI 3.1 description of this API is at <a href="/openapi.json">/openapi.json</a>.</p>
</section>`
}

/** The words of the contract, which come from a pet store, and their meaning in adoption. */
export function wordsPart(): Html {
  return html`<section id="words"><h2>What the words mean</h2>
<p>Paths and values use the words of a pet store. Nothing is sold. In adoption they mean:</p>
<dl>
<dt>pet</dt><dd>An animal in the care of a shelter or rescue.</dd>
<dt>category</dt><dd>The type of animal, such as dogs or rabbits.</dd>
<dt>organization</dt><dd>A shelter or rescue. It has animals, staff and keys.</dd>
<dt>no status</dt><dd>The animal is not published. Only the shelter sees it: it has just arrived, is on hold,
or has left other than by adoption.</dd>
<dt>available</dt><dd>The animal is looking for a home and people can apply.</dd>
<dt>pending</dt><dd>The animal is reserved for an adopter. It is still shown, and people can still apply.</dd>
<dt>sold</dt><dd>The animal is adopted.</dd>
<dt>application</dt><dd>A person asks to adopt an animal. Many people can apply for one animal, and no
application reserves it.</dd>
<dt>order, under /store</dt><dd>The reservation of an animal for one adopter. It makes the animal
<code>pending</code>. A completed order makes the animal <code>sold</code>, and a cancelled order makes it
<code>available</code> again. Approving an application places an order.</dd>
<dt>fee</dt><dd>What the adopter pays the shelter. The service takes no payments.</dd>
<dt>inventory</dt><dd>The number of animals in each status.</dd>
<dt>tag</dt><dd>A keyword of an animal for searches, such as <code>calm</code>.</dd>
<dt>bond</dt><dd>Animals that are adopted together or not at all.</dd>
<dt>key, plan</dt><dd>The secret that a program sends with its requests, and how many requests it may send.
Adopters need neither.</dd>
</dl></section>`
}

/** The section for client developers, on everything except the operations. */
export function clientsPart(): Html {
  return html`<section id="clients"><h2>Writing a client</h2>
<p>For TypeScript and JavaScript, use <code>@adoptable/client</code> in the folder <code>client/</code> of
the source. It follows pages, retries and waits for you. See <code>client/README.md</code>.</p>
<h3>Pages${badge('beta')}</h3>
<p>Lists are divided into pages. If there is another page, the <code>Link</code> header has its URL with
<code>rel="next"</code>. Request that URL unchanged, and repeat until the header has no next page. Cursors
never expire, whatever changes in the meantime. To copy all animals, use <code>sort=id</code>: you get each
animal exactly once, even if others are added while you read.</p>
<h3>Retries${badge('beta')}</h3>
<p>Give each <code>POST</code> and <code>PATCH</code> its own <code>Idempotency-Key</code>, such as a UUID. If
you get no response, send the same request with the same key. Within 24 hours the request takes effect only
once, and a repeated response has <code>Idempotent-Replayed: true</code>. Two error codes are about this key:
<a href="#error-idempotency_key_in_use">idempotency_key_in_use</a> while the first request is still running,
and <a href="#error-idempotency_key_reused">idempotency_key_reused</a> if the body differs. A
<code>GET</code> changes nothing, so you can always send it again.</p>
<h3>Waiting</h3>
<p>After a 429 or 503, send nothing for the number of seconds in <code>Retry-After</code>. If the next attempt
fails too, double the wait, add some jitter, and give up after a few attempts. A key that keeps sending is
<a href="#bans">banned</a>. To avoid a 429, stop when <code>X-RateLimit-Remaining</code> is 0 and wait until
the time in <code>X-RateLimit-Reset</code>.</p>
<h3>Conditional requests</h3>
<p>Responses with animals have an <code>ETag</code>. Send it as <code>If-None-Match</code> with the next
<code>GET</code>: a 304 without a body means that nothing has changed. To avoid overwriting the changes of
others, send the <code>ETag</code> of one animal as <code>If-Match</code> with your change: a 412 means that
the animal has changed, so read it again first. <code>GET /pets?id=7</code> also has the <code>ETag</code> of
that animal. The <code>ETag</code> of a list with more animals cannot be used for a change.</p>
<h3>Large ids and unknown values</h3>
<p>Ids are 64-bit integers. JavaScript numbers are exact only up to 9,007,199,254,740,991. Ignore members and
headers that you do not know, and handle unknown error codes by their status:
<a href="#compatibility">more may be added</a>.</p>
</section>`
}

/** The section on errors, made from `ERRORS`. */
export function errorsPart(): Html {
  const [status, message] = ERRORS.pet_not_found
  const rows = Object.entries(ERRORS).map(
    ([code, [of, meaning]]) => html`<tr id="error-${code}"><th scope="row"><code>${code}</code>
<small>${of}</small></th><td>${meaning}</td></tr>`,
  )
  return html`<section id="errors"><h2>Errors</h2>
<p>The body of every error response is a JSON object like this:</p>
<pre><code>${pretty({ code: 'pet_not_found', message, status })}</code></pre>
<ul>
<li>Let your program decide by <code>code</code>: a condition always has the same code. The message is written
for people, and its wording may change.</li>
<li>A 400 may have <code>details</code>, with one <a href="#schema-ErrorDetail">ErrorDetail</a> for each
problem, so you can fix all of them at once.</li>
<li>A 5xx does not include its cause. Give the operator the <code>X-Request-Id</code> of the response to find
the cause in the log.</li>
</ul>
${table('All error codes', ['Code and status', 'Meaning'], rows)}</section>`
}

const figure = new Intl.NumberFormat('en')

type LimitSettings = Pick<Config, 'ban' | 'anonymous'>

/** The section on plans, headers and bans, with the settings of this installation. */
export function limitsPart({ ban, anonymous }: LimitSettings): Html {
  const plans = Object.entries(PLANS).map(([name, limits]) => {
    const figures =
      limits === 'custom'
        ? ['by agreement', 'by agreement']
        : [limits.perMinute, limits.perDay].map(figure.format)
    return html`<tr><th scope="row">${name}</th>${figures.map((one) => html`<td>${one}</td>`)}</tr>`
  })
  const headers = Object.entries({
    'X-RateLimit-Limit': 'Requests that the window allows.',
    'X-RateLimit-Remaining': 'Requests left in the window.',
    'X-RateLimit-Reset': 'When the window ends, as Unix time in whole seconds.',
    'Cache-Control': 'Who may cache the response. Errors may not be cached.',
    'X-Content-Type-Options': 'nosniff: the media type must not be guessed.',
    'X-Request-Id':
      'The id of the request in the operator’s log. Send your own to use it instead: 1 to 128 characters from A-Z a-z 0-9 . _ -',
  }).map(([name, meaning]) => html`<tr><th scope="row"><code>${name}</code></th><td>${meaning}</td></tr>`)
  return html`<section id="limits"><h2>Limits</h2>
${table('Requests per key', ['Plan', 'Per minute', 'Per day'], plans)}
<p>Each key has two windows, of 60 seconds and of 24 hours, which start with the first request that counts.
All connections that use the key share them. Every response counts, including errors, except a 429. Requests
without a valid key count for the IP address that they come from, which may send
${figure.format(anonymous.perMinute)} a minute and ${figure.format(anonymous.perDay)} a day.</p>
${table('Headers of every response under /v1', ['Header', 'Meaning'], headers)}
<p>The rate limit headers describe the window with fewer requests left.</p>
<p>Over the limit, the response is a 429 <a href="#error-rate_limit_exceeded">rate_limit_exceeded</a>, and
<code>Retry-After</code> has the number of seconds until requests are accepted again.</p>
<h3 id="bans">Bans</h3>
<p>More than ${figure.format(ban.afterRefusals)} refused requests within ${duration(ban.windowSeconds)}
ban a key for ${duration(ban.seconds)}. Each further ban within ${duration(ban.memorySeconds)} of the last
one is twice as long, up to ${duration(ban.longestSeconds)}. During a ban, every response is a 429
<a href="#error-api_key_banned">api_key_banned</a>, and <code>Retry-After</code> has the seconds until the ban
ends. Requests during a ban do not extend it.</p>
</section>`
}

/** A duration in the largest unit that gives a whole number. @param seconds at least 0 */
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
${table('Deprecated operations', ['Operation', 'Removed on (00:00 UTC)'], rows)}
<p>Every response of a deprecated operation has three headers. <code>Deprecation</code> has the date of the
deprecation, <code>Sunset</code> the date of the removal, and <code>Link</code> with
<code>rel="successor-version"</code> the operation to use instead. After its removal, the operation answers
410 <a href="#error-endpoint_removed">endpoint_removed</a>.</p></section>`
}

export function compatibilityPart(): Html {
  return html`<section id="compatibility"><h2>Compatibility</h2>
<p>The version is the <code>/v1</code> in the URL. A client that follows this reference keeps working for as
long as <code>/v1</code> exists.</p>
<h3 id="stability">Stable, beta and experimental</h3>
<dl>
<dt>no badge</dt><dd>Stable: no breaking changes within <code>/v1</code>.</dd>
<dt><span class="badge">beta</span></dt><dd>Planned to stay, but it may still change. The changelog announces
changes.</dd>
<dt><span class="badge">experimental</span></dt><dd>A trial. It may change or be removed. The changelog
announces changes.</dd>
</dl>
<h3>Breaking and compatible changes</h3>
<p>These changes break clients. They do not happen to the stable parts of <code>/v1</code>, except when a
whole operation is deprecated and removed:</p>
<ul>
<li>removing or renaming an operation, a parameter, a member, a value or a header</li>
<li>making something optional required, accepting less than before, or changing the type or meaning of a
value</li>
<li>changing the status or error code of a condition</li>
</ul>
<p>These changes may come with any release, and your client must handle them:</p>
<ul>
<li>new paths, optional parameters, optional members and headers</li>
<li>new error codes for new operations, and new wording of messages</li>
<li>new formats of cursors and ETags: send them back unchanged and do not parse them</li>
</ul>
<h3>Notice</h3>
<p>Before a stable operation is removed, all its responses name the date in their <code>Sunset</code> header.
<a href="#deprecations">The one deprecated operation</a> has done so since release 1.0.0, four years before
its removal. Beta and experimental features have no notice period other than the changelog.</p>
</section>`
}
