import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertUnchanged, list, startUnlimited } from '../../testing/bodies.ts'
import { assertError } from '../../testing/client.ts'

/** Valid and invalid parts of a Content-Type before, at and after the media type. */
const MEDIA_TYPES = {
  before: { valid: list('| |\t \t'), invalid: list(',|;|"|x|\u00a0|text/plain, ') },
  type: {
    valid: list('application/json|APPLICATION/JSON|aPPlication/Json'),
    invalid: list(
      '|json|application|application/|/json|application//json|application/json/json|application\\json',
      'application /json|application/ json|application\t/json|applicati\xf6n/json|application/json\xa0',
      'application/jsonx|application/xjson|application/json+x|application/x+json|application/vnd.api+json',
      'application/merge-patch+json|application/ld+json|application/x-json|application/json-seq|text/json',
      'application/json5|text/plain|text/html|application/*|*/*|*/json|multipart/form-data|"application/json"',
      'application/x-www-form-urlencoded|application/octet-stream|undefined|null|__proto__|constructor',
    ),
  },
  after: {
    valid: list(
      '| |\t|;| ; |;;|; ;\t;|; charset=utf-8|;charset=UTF-8|\t;\tcharset="utf-8"\t|;CHARSET=Utf-8;',
      '; charset=utf-8; charset="UTF-8"|; a=b|; a="b"|; a=""|; a=b; charset=utf-8|; charset=utf-8; a="b;c"',
      '; a="charset=utf-16"|; a="; charset=utf-16"|; xcharset=utf-16|; charset*=b|; a=!#$%&*+.^`~-1',
    ),
    invalid: list(
      ',|, application/json|,application/json; charset=utf-8| x|\t\tx|/|+|\xa0|"|; a|; =b|; a=|; a=b c|; a="b',
      '; a=b"|; a="b"c|; a="b\\"c"|; \xe4=b|; a=\xe4|; a=b,c|; a=b/c|; a=b=c|; (comment)|; a=b; c|; charset',
      '; charset=utf-16|; charset="utf-16"|;Charset=UTF-16LE|; charset=utf8|; charset=latin1|; charset=us-ascii',
      '; charset=utf-8x|; charset=xutf-8|; charset="utf-8"x|; charset="utf-8 "|; charset=" utf-8"|; charset="utf-8',
      '; charset=utf-8"|; charset=|; charset=""|; charset =utf-8|; charset= utf-8|; charset="ut\\f-8"',
      '; charset=utf-8; charset=utf-16|; charset=utf-16; charset=utf-8|; a="b"; charset=utf-7|;;charset=utf-16',
      '; charset=utf-8, utf-16|; charset=utf-8 utf-16',
      "; charset='utf-8'",
    ),
  },
}

test('POST /v1/pets gets 415 for every Content-Type except JSON in UTF-8', async (t) => {
  const app = await startUnlimited(t)
  const { before, type, after } = MEDIA_TYPES
  const combine = (starts: string[], types: string[], ends: string[]) =>
    starts.flatMap((start) => types.flatMap((middle) => ends.map((end) => start + middle + end)))
  const valid = new Set(combine(before.valid, type.valid, after.valid))
  const invalid = new Set([
    ...combine(before.valid, type.valid, after.invalid),
    ...combine(before.invalid, type.valid, after.valid),
    ...combine(before.valid, type.invalid, after.valid),
    ...combine([''], type.invalid, after.invalid),
  ])
  for (const value of valid) assert.ok(!invalid.has(value), JSON.stringify(value))
  assert.ok(valid.size + invalid.size > 5_000)

  const cases = [...valid, ...invalid].values()
  const work = async (): Promise<void> => {
    for (const value of cases) {
      const answer = await app.post('/v1/pets', '{"name":1}', { 'content-type': value })
      if (valid.has(value)) assertError(answer, 400, 'validation_failed', JSON.stringify(value))
      else assertError(answer, 415, 'unsupported_media_type', JSON.stringify(value))
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  await assertUnchanged(app)
})
