import assert from 'node:assert/strict'
import type { TestGallery } from './gallery.ts'

// What somebody writes who would like to run a script in the browsers of others.

export const SCRIPT = `</script><img src=x onerror=alert(1)>"'><svg/onload=alert(2)><!-- ]]> &lt;b&gt; \u202e\u2028\ufffe`

/** As much of it as a text may have characters. */
export const hostile = (most: number): string => SCRIPT.slice(0, most)

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Every text that a shelter can write, with what an attacker would. */
export async function addHostile(app: TestGallery): Promise<{ id: number; code: string }> {
  const { add, shelter, photo } = app
  const { id: organizationId, code } = await shelter({
    name: hostile(200),
    ...{ phone: hostile(40), mission: SCRIPT, adoptionPolicy: SCRIPT, email: "o'x&b=?cc@a.example" },
    address: { street: SCRIPT, city: SCRIPT, region: SCRIPT, postcode: hostile(20), country: 'US' },
    hours: Object.fromEntries(DAYS.map((day) => [day, hostile(100)])),
    website: "https://a.example/'x='",
    social: { x: "https://a.example/?'&<".slice(0, 20) },
  })
  const id = await add({
    name: hostile(200),
    ...{ organizationId, externalId: hostile(80), species: hostile(60), description: SCRIPT },
    breed: { primary: hostile(80), secondary: hostile(80) },
    colors: [hostile(60)],
    tags: [hostile(40)],
    contact: { name: SCRIPT, phone: hostile(40), email: 'a&b=c?d@a.example' },
    place: { city: SCRIPT, region: SCRIPT, postcode: hostile(20) },
    videos: ["https://a.example/?'=1"],
  })
  await photo(id, `?alt=${encodeURIComponent(SCRIPT)}`)
  await app.request(`/v1/categories/1`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: { name: hostile(100) },
  })
  return { id, code }
}

/** Tags that a page may have; each attribute is in quotes, and none is one of an event or a style. */
const TAG = /^<(?:\/?[a-z][a-z0-9]*|!doctype html)(?: [a-zA-Z:-]+(?:="[^"<>]*")?)*\/?>/

/** Fails where a page has markup that is not our own. */
export function assertSound(text: string, about: string): void {
  const withoutData = text.replace(/<script type="application\/ld\+json">[^<]*<\/script>/, '')
  for (let at = withoutData.indexOf('<'); at >= 0; at = withoutData.indexOf('<', at + 1)) {
    const tag = TAG.exec(withoutData.slice(at, at + 20_000))?.[0]
    assert.ok(tag, `${about}: ${withoutData.slice(at, at + 200)}`)
    assert.doesNotMatch(tag.replaceAll(/"[^"]*"/g, '""'), / on[a-z]+=| style=/, about)
    assert.doesNotMatch(tag, /(?:href|src)="(?:javascript|data:text)/, about)
  }
  assert.doesNotMatch(withoutData, /<img src=x|<svg\/|<!--/)
}
