import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from '../../../../testing/applicant.ts'
import { signIn } from '../../../../testing/console.ts'
import { startApp, UNLIMITED } from '../../../../testing/start-app.ts'

test('a manager adds, moves and removes application questions', async (t) => {
  const app = await startApp(t, { key: { ...UNLIMITED, access: 'admin' } })
  for (const code of ['CO0', 'CO1']) await app.post('/v1/organizations', { name: `Shelter ${code}`, code })
  await app.post('/v1/pets', { name: 'Luna', categoryId: 1, status: 'available', organizationId: 1 })
  const manager = await signIn(app, { organizationId: 1, role: 'manager' })
  const path = '/console/organization/questions'
  const action = `${path}?organization=1`
  const save = (fields: Record<string, string>) => manager.fill(path, { do: 'save', ...fields }, action)
  const stored = async () => (await app.get('/v1/organizations/1')).body.applicationQuestions
  assert.equal((await save({ 'text-0': 'A garden?', 'kind-0': 'yesNo' })).status, 303)
  await save({
    'text-1': 'Where?',
    'kind-1': 'choice',
    'options-1': 'House\r\nFlat\r\n',
    'required-1': 'yes',
  })
  assert.deepEqual(await stored(), [
    { id: 'q1', text: 'A garden?', kind: 'yesNo', required: false },
    { id: 'q2', text: 'Where?', kind: 'choice', options: ['House', 'Flat'], required: true },
  ])
  assert.match((await visit(app, '/animals/1/apply')).text, /A garden\?.*Where\?.*House/s)
  const wrong = await save({ 'options-1': 'House' })
  assert.equal(wrong.status, 400)
  assert.match(wrong.text, /href="#field-options-1"/)
  await save({ do: 'up-1' })
  await save({ do: 'remove-1' })
  assert.deepEqual(
    (await stored()).map(({ id }: { id: string }) => id),
    ['q2'],
  )
  const stale = await manager.send(action, { do: 'save', marks: 'x', 'text-0': 'Mine?', 'kind-0': 'text' })
  assert.equal(stale.status, 409)
  assert.match(stale.text, /Someone else changed the questions.*Mine\?/s)
  // A manager gets their own organization, whatever the address says.
  await manager.fill(path, { do: 'save', 'text-1': 'Own?', 'kind-1': 'text' }, action)
  await manager.send(`${path}?organization=2`, { do: 'save', marks: '', 'text-0': 'Evil?', 'kind-0': 'text' })
  assert.equal((await app.get('/v1/organizations/2')).body.applicationQuestions, undefined)
  const admin = await signIn(app, { role: 'admin' })
  assert.match((await admin.get(path)).text, /organization=2/)
})
