import type { Config } from '../../../config.ts'
import { type Html, html } from '../../../http/html.ts'
import { PLANS } from '../../../plans.ts'
import type { Call } from './description.ts'
import { table } from './fields.ts'

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
