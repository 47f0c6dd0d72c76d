import assert from 'node:assert/strict'
import type { TestGallery } from './gallery.ts'

// Texts from an attacker who tries to run a script in other people's browsers.

export const SCRIPT = `</script><img src=x onerror=alert(1)>"'><svg/onload=alert(2)><!-- ]]> &lt;b&gt; \u202e\u2028\ufffe`

/** The beginning of the attack text, for members with a maximum length. */
export const hostileText = (maxLength: number): string => SCRIPT.slice(0, maxLength)

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Adds an organization and an animal with the attack text in every text member. */
export async function addHostile(app: TestGallery): Promise<{ id: number; code: string }> {
  const { add, shelter, photo } = app
  const { id: organizationId, code } = await shelter({
    name: hostileText(200),
    ...{ phone: hostileText(40), mission: SCRIPT, adoptionPolicy: SCRIPT, email: "o'x&b=?cc@a.example" },
    address: { street: SCRIPT, city: SCRIPT, region: SCRIPT, postcode: hostileText(20), country: 'US' },
    hours: Object.fromEntries(DAYS.map((day) => [day, hostileText(100)])),
    website: "https://a.example/'x='",
    social: { x: "https://a.example/?'&<".slice(0, 20) },
  })
  const id = await add({
    name: hostileText(200),
    ...{ organizationId, externalId: hostileText(80), species: hostileText(60), description: SCRIPT },
    breed: { primary: hostileText(80), secondary: hostileText(80) },
    colors: [hostileText(60)],
    tags: [hostileText(40)],
    contact: { name: SCRIPT, phone: hostileText(40), email: 'a&b=c?d@a.example' },
    place: { city: SCRIPT, region: SCRIPT, postcode: hostileText(20) },
    videos: ["https://a.example/?'=1"],
  })
  await photo(id, `?alt=${encodeURIComponent(SCRIPT)}`)
  await app.request(`/v1/categories/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: { name: hostileText(100) },
  })
  return { id, code }
}

/** A tag with quoted attributes, as the pages write tags. */
const TAG = /^<(?:\/?[a-z][a-z0-9]*|!doctype html)(?: [a-zA-Z][a-zA-Z0-9:-]*(?:="[^"<>]*")?)*\/?>/

/** Fails if a page contains markup from the attack text. */
export function assertOwnMarkup(text: string, about: string): void {
  const withoutData = text.replace(/<script type="application\/ld\+json">[^<]*<\/script>/, '')
  for (let at = withoutData.indexOf('<'); at >= 0; at = withoutData.indexOf('<', at + 1)) {
    const tag = TAG.exec(withoutData.slice(at, at + 20_000))?.[0]
    assert.ok(tag, `${about}: ${withoutData.slice(at, at + 200)}`)
    assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, '""'), / on[a-z]+=| style=/, about)
    assert.doesNotMatch(tag, /(?:href|src)="(?:javascript|data:text)/, about)
  }
  assert.doesNotMatch(withoutData, /<img src=x|<svg\/|<!--/)
}
