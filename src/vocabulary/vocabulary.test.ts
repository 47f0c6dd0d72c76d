import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changes } from '../db/change.ts'
import { FIRST_BREEDS, FIRST_CATEGORIES, FIRST_COLORS } from '../db/migrations/categories.ts'
import { makeKey, startApp, UNLIMITED } from '../testing/start-app.ts'

const ADMIN = { key: { ...UNLIMITED, access: 'admin' } } as const

const namesIn = (words: Record<string, string>) => Object.values(words).flatMap((names) => names.split('; '))

test('every category has some initial breeds and colors, without duplicates or names too long for an animal', () => {
  for (const [words, maxLength] of [
    [FIRST_BREEDS, 80],
    [FIRST_COLORS, 60],
  ] as const) {
    assert.deepEqual(Object.keys(words), FIRST_CATEGORIES)
    for (const names of Object.values(words).map((text) => text.split('; '))) {
      assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length)
      for (const name of names)
        assert.ok(name.length > 0 && name.length <= maxLength && name === name.trim(), name)
    }
  }
})

for (const [path, words] of [
  ['/v1/breeds', FIRST_BREEDS],
  ['/v1/colors', FIRST_COLORS],
] as const) {
  test(`GET ${path} on a new store returns the initial names, filtered by category, page by page`, async (t) => {
    const { get } = await startApp(t, ADMIN)
    const all = (await get(path)).body.map(({ name }: { name: string }) => name)
    assert.deepEqual(all, namesIn(words))

    const cats: string[] = []
    let next = `${path}?categoryId=2&limit=10`
    while (next) {
      const { body, headers } = await get(next)
      cats.push(...body.map(({ name }: { name: string }) => name))
      next = /<[^>]*(\/v1[^>]*)>; rel="next"/.exec(String(headers.link))?.[1] ?? ''
    }
    assert.deepEqual(cats, words.Cat?.split('; '))
  })

  test(`POST and DELETE ${path} let admin keys add and remove names, and errors name the problem`, async (t) => {
    const { get, post, delete: remove, databaseUrl } = await startApp(t, ADMIN)
    const write = { authorization: `Bearer ${await makeKey(databaseUrl)}` }
    const added = await post(path, { categoryId: 2, name: 'Spotted Lap Cat', id: 1 })
    const { id } = added.body
    assert.deepEqual([added.status, added.body], [201, { id, categoryId: 2, name: 'Spotted Lap Cat' }])
    assert.ok(String(added.headers.location).endsWith(`${path}/${id}`))

    assert.deepEqual((await get(`${path}/${id}`)).body, added.body)

    const kind = path === '/v1/breeds' ? 'breed' : 'color'
    const again = await post(path, { categoryId: 2, name: 'spotted lap cat ' })
    assert.deepEqual([again.status, again.body.code], [409, `${kind}_exists`])
    assert.equal((await post(path, { categoryId: 3, name: 'Spotted Lap Cat' })).body.id, id + 1)
    for (const [bad, pointer] of [
      [{ name: 'A' }, '/categoryId'],
      [{ name: ' ', categoryId: 1 }, '/name'],
      [{ name: 'a'.repeat(81), categoryId: 1 }, '/name'],
      [{ name: 'A', categoryId: 99 }, '/categoryId'],
    ] as const) {
      const { status, body } = await post(path, bad)
      assert.deepEqual([status, body.details[0].pointer], [400, pointer])
    }
    assert.equal((await post(path, { categoryId: 1, name: 'A' }, write)).status, 403)
    assert.equal((await remove(`${path}/${id}`, write)).status, 403)

    assert.equal((await remove(`${path}/${id}`)).status, 204)
    assert.equal((await remove(`${path}/${id}`)).body.code, `${kind}_not_found`)
    assert.equal((await get(`${path}/${id}`)).body.code, `${kind}_not_found`)
    assert.equal((await remove(`${path}/x`)).body.code, `${kind}_not_found`)
    assert.ok(!(await get(`${path}?categoryId=2`)).text.includes('Spotted'))
  })
}

test('DELETE /v1/colors/ID with the id of a breed gets 404; deleting a category deletes its names', async (t) => {
  const { get, post, delete: remove } = await startApp(t, ADMIN)
  assert.equal((await remove('/v1/colors/1')).body.code, 'color_not_found')
  const { id } = (await post('/v1/categories', { name: 'Bees' })).body
  await post('/v1/breeds', { categoryId: id, name: 'Carniolan' })
  await remove(`/v1/categories/${id}`)
  assert.deepEqual((await get(`/v1/breeds?categoryId=${id}`)).body, [])
})

test('fillVocabulary adds missing initial names again, and no duplicates', async (t) => {
  const { service, delete: remove } = await startApp(t, ADMIN)
  const { write } = service.context
  assert.deepEqual(await write(changes.fillVocabulary), { breed: 0, color: 0 })
  for (const path of ['/v1/breeds/1', '/v1/breeds/300', `/v1/colors/${namesIn(FIRST_BREEDS).length + 1}`])
    assert.equal((await remove(path)).status, 204)
  assert.deepEqual(await write(changes.fillVocabulary), { breed: 2, color: 1 })
})
