import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { changes } from '../../src/changes.ts'
import { DEMO_CODE } from '../../src/demo/shelter.ts'
import { startPictures } from '../../src/testing/picture-server.ts'
import { runCli, spawnCli } from '../../src/testing/process.ts'
import { startApp } from '../../src/testing/start-app.ts'
import { times } from '../lab/parallel.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { startService } from '../lab/service.ts'
import { testOnEachStore, withStore } from '../lab/stores.ts'

const ROUNDS = rounds(100)
const ANIMALS = 30
const APPLICATIONS = 3
/** A removal takes about this long, mostly for the start of its process. */
const MAX_REMOVAL_MS = 1_500
const WHOLE = { organizations: 1, animals: ANIMALS, applications: APPLICATIONS }
const NOTHING = { organizations: 0, animals: 0, applications: 0 }

testOnEachStore(
  'demo --remove removes all or nothing when it is killed, or when people are invited to the demo',
  async (t, { stores, part }) => {
    const random = randomOf(part)
    const { ask, settings } = await startService(t, { key: { access: 'admin' }, settings: stores })
    const counts = { removed: 0, refused: 0, killed: 0 }

    async function addDemo(): Promise<number> {
      const { body } = await ask('/v1/organizations', { body: { name: 'Demo', code: DEMO_CODE } })
      for (let number = 1; number <= ANIMALS; number += 1) {
        const pet = { name: 'Rex', categoryId: 1, status: 'available', externalId: `${DEMO_CODE}-${number}` }
        const added = await ask('/v1/pets', { body: { ...pet, organizationId: body.id } })
        const application = { petId: added.body.id, applicant: { name: 'Kim', email: 'kim@doe.example' } }
        if (number <= APPLICATIONS) await ask('/v1/applications', { body: application })
      }
      return body.id
    }
    /** Counts in one query, so all numbers are of one moment. */
    const countDemo = (organizationId: number) =>
      withStore(settings.DATABASE_URL, async ({ db }) => {
        const row = await db
          .selectNoFrom(({ selectFrom, fn }) => [
            selectFrom('organization')
              .where('id', '=', organizationId)
              .select(fn.countAll().as('n'))
              .as('organizations'),
            selectFrom('pet')
              .where('organization_id', '=', organizationId)
              .select(fn.countAll().as('n'))
              .as('animals'),
            selectFrom('application')
              .where('organization_id', '=', organizationId)
              .select(fn.countAll().as('n'))
              .as('applications'),
          ])
          .executeTakeFirstOrThrow()
        return Object.fromEntries(Object.entries(row).map(([name, count]) => [name, Number(count)]))
      })
    /** @returns whether the person was invited */
    const invite = (round: number, organizationId: number): Promise<boolean> =>
      withStore(settings.DATABASE_URL, async ({ write }) => {
        const person = { email: `p${round}@doe.example`, name: 'Kim', role: 'staff', organizationId } as const
        const hash = String(round).padStart(64, '0')
        const invited = write(changes.inviteStaff, person, undefined, hash, Date.now())
        return invited.then(
          () => true,
          () => false,
        )
      })

    for (let round = 0; round < ROUNDS; round += 1) {
      const organizationId = await addDemo()
      const kind = ['invited before', 'invited meanwhile', 'killed'][round % 3]
      let isInvited = kind === 'invited before' && (await invite(round, organizationId))
      const { child, exited } = spawnCli(t, ['demo', '--remove'], settings)
      await pause(random.integer(0, MAX_REMOVAL_MS))
      if (kind === 'invited meanwhile') isInvited = await invite(round, organizationId)
      if (kind === 'killed') child.kill('SIGKILL')
      const { code, stderr } = await exited
      const about = `round ${round}, ${kind}: exit code ${code}, invited ${isInvited}, ${stderr}`

      const left = await countDemo(organizationId)
      if (kind === 'killed') assert.deepEqual(left, left.organizations === 0 ? NOTHING : WHOLE, about)
      else assert.deepEqual(left, isInvited ? WHOLE : NOTHING, about)
      if (isInvited) {
        assert.equal(code, 1, about)
        assert.match(stderr, /Nothing was removed.+\(accounts: 1\)/, about)
      } else if (kind !== 'killed') assert.equal(code, 0, about)
      counts[kind === 'killed' ? 'killed' : isInvited ? 'refused' : 'removed'] += 1
      const { code: forced } = await runCli(t, ['demo', '--remove', '--force'], settings)
      assert.deepEqual([forced, await countDemo(organizationId)], [0, NOTHING], about)
    }
    reportFigure(
      t,
      `${counts.removed} removed, ${counts.refused} refused, ${counts.killed} killed: never a part`,
    )
  },
  { timeout: 3_600_000 },
)

test('requests for unknown photos from an address over its limit look nothing up in the store or bucket', async (t) => {
  const random = randomOf()
  const bucket = await startPictures(t, {})
  const PHOTOS_URL = bucket.at('/bucket').replace('http://', 's3+http://key:secret@')
  const limits = { ANONYMOUS_PER_MINUTE: '5', ANONYMOUS_PER_DAY: '1000000' }
  const app = await startApp(t, { settings: { PHOTOS_URL, TRUST_PROXY: 'loopback', ...limits } })
  const executor = app.service.context.db.getExecutor()
  const execute = executor.executeQuery
  let lookups = 0
  executor.executeQuery = (query, ...more) => {
    if (query.sql.includes('from "photo"')) lookups += 1
    return execute.call(executor, query, ...more) as never
  }
  const ask = async (address: string) => {
    const hash = random.integer(0, 1e9).toString(16).padStart(32, '0')
    const headers = { authorization: undefined, 'x-forwarded-for': address }
    return (await app.get(`/photos/${hash}-${random.pick([300, 600, 1200, 2400])}.webp`, headers)).status
  }
  let refused = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const address = `198.51.100.${random.integer(1, 250)}`
    const first = await Promise.all(times(random.integer(10, 40), () => ask(address)))
    assert.ok(first.filter((status) => status === 404).length <= 5, `${first}`)
    const before = lookups
    const others = await Promise.all(times(random.integer(1, 60), () => ask(address)))
    assert.deepEqual(new Set(others), new Set([429]))
    assert.equal(lookups, before)
    refused += others.length
    app.clock.now += 60_000
  }
  assert.ok(lookups > 0)
  assert.deepEqual(
    bucket.requested.filter((url) => url.includes('.webp')),
    [],
  )
  reportFigure(t, `${refused} refused without a lookup`)
})
