import assert from 'node:assert/strict'
import type { OutgoingHttpHeaders } from 'node:http'
import type { TestContext } from 'node:test'
import type { Answer } from './client.ts'
import { JPEG, picture } from './pictures.ts'
import { type Options, startApp, type TestApp, UNLIMITED } from './start-app.ts'

const MANY = { ANONYMOUS_PER_MINUTE: '10000', ANONYMOUS_PER_DAY: '100000' }

export interface TestGallery extends TestApp {
  /** Requests a page as the browser of a visitor. */
  visit(path: string, headers?: OutgoingHttpHeaders): Promise<Answer>
  /** Adds an animal. @returns its id */
  add(animal: object): Promise<number>
  /** Adds an organization. @returns its id and code */
  shelter(organization: object): Promise<{ id: number; code: string }>
  /** Adds a photo to an animal. */
  photo(id: number, query?: string): Promise<void>
}

/** Starts a service with an admin key and high limits for visitors. */
export async function startGallery(t: TestContext, options: Options = {}): Promise<TestGallery> {
  const app = await startApp(t, {
    ...options,
    key: { ...UNLIMITED, access: 'admin', ...options.key },
    settings: { ...MANY, ...options.settings },
  })
  let photos = 0
  const added = async (path: string, body: object) => {
    const answer = await app.post(path, body)
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  return {
    ...app,
    visit: (path, headers = {}) => app.get(path, { ...BROWSER, ...headers }),
    add: async (animal) =>
      (await added('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available', ...animal })).id,
    shelter: async (organization) => {
      const { id, code } = await added('/v1/organizations', { name: 'Harbour Shelter', ...organization })
      return { id, code }
    },
    async photo(id, query = '') {
      photos += 1
      const body = await picture({ width: 800, height: 600, number: photos })
      const answer = await app.request(`/v1/pets/${id}/photos${query}`, {
        method: 'POST',
        headers: JPEG,
        body,
      })
      assert.equal(answer.status, 201, answer.text)
    },
  }
}

export const BROWSER = { authorization: undefined, accept: 'text/html,*/*;q=0.8' }

/** The names on the cards of a page, in order. */
export function cardNames({ text }: Pick<Answer, 'text'>): string[] {
  return [...text.matchAll(/<h[23] dir="auto"><a href="\/animals\/[^>]*>([^<]*)<\/a>/g)].map(
    ([, name = '']) => name,
  )
}

/** The JSON-LD data of a page; null if it has none. */
// biome-ignore lint/suspicious/noExplicitAny: tests read data of any shape
export function dataOf({ text }: Pick<Answer, 'text'>): any {
  const [, json = 'null'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text) ?? []
  return JSON.parse(json)
}

/** The target of the link with this text. */
export function linkOf({ text }: Pick<Answer, 'text'>, words: string): string {
  const found = [...text.matchAll(/<a [^>]*href="([^"]*)"[^>]*>([^<]*)</g)].find(([, , own]) => own === words)
  return found?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(`no link "${words}"`)
}
