import type { Config } from '../../../config.ts'
import { type Html, html } from '../../../http/html.ts'
import { badge } from './fields.ts'

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
