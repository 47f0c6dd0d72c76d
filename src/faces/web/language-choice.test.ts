import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cookieOf, signIn } from '../../testing/console.ts'
import { startGallery } from '../../testing/gallery.ts'

const SPANISH = { cookie: 'other=1; language=es' }

test('a chosen language wins over Accept-Language, on cached pages too, for that browser only', async (t) => {
  const app = await startGallery(t)
  await app.add({ name: 'Ada', age: 'senior' })
  for (const path of [
    '/',
    '/animals/1-ada',
    '/nowhere',
    '/animals?near=nowhere',
    '/animals/1-ada/apply',
    '/console/sign-in',
  ]) {
    for (let times = 0; times < 2; times += 1) {
      const chosen = await app.visit(path, SPANISH)
      assert.match(chosen.text, /<html lang="es">/, path)
      assert.match(String(chosen.headers.vary), /Cookie/, path)
      assert.match((await app.visit(path)).text, /<html lang="en">/, path)
      for (const cookie of ['language=xx', 'mylanguage=es', 'language=esp', 'language='])
        assert.match((await app.visit(path, { cookie })).text, /<html lang="en">/, cookie)
    }
  }
  const english = { 'accept-language': 'es', cookie: 'language=en' }
  assert.match((await app.visit('/', english)).text, /<html lang="en">/)

  const { token } = await signIn(app)
  const cookie = `${cookieOf(token).cookie}; language=es`
  assert.match((await app.visit('/console/', { cookie })).text, /<html lang="es">.*>Animales<\/a>/s)
})

test('GET /language/es sets a cookie for a year and leads back to the previous page, never to another site', async (t) => {
  const { visit } = await startGallery(t)
  const [own, evil] = ['http://pets.example', 'evil.example']
  for (const [referer, to] of [
    [`${own}/animals?kind=dog&q=a%20b`, '/animals?kind=dog&q=a%20b'],
    [`${own}/console/animals/1`, '/console/animals/1'],
    [`https://${evil}/x`, '/x'],
    ...[
      `${own}//${evil}`,
      `${own}/\\${evil}`,
      `${own}/\t/${evil}`,
      `${own}/.//${evil}`,
      `foo:/\\${evil}`,
      'nonsense',
      'data:x',
      '',
    ].map((other) => [other, '/'] as const),
    [undefined, '/'],
  ] as const) {
    const answer = await visit('/language/es', { referer })
    assert.equal(answer.status, 303)
    assert.equal(answer.headers.location, to, referer)
    assert.equal(answer.headers['cache-control'], 'no-store')
    const set = ['language=es; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax']
    assert.deepEqual(answer.headers['set-cookie'], set)
  }
  assert.equal((await visit('/language/xx')).status, 404)
})
