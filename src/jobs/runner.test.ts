import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import type { Context } from '../context.ts'
import { type Change, changes } from '../db/change.ts'
import { createOutageReporter } from '../db/database.ts'
import { ApiError } from '../errors.ts'
import { startApp } from '../testing/start-app.ts'
import { type Job, type Jobs, listJobs } from './job.ts'
import { createJobRunner } from './runner.ts'

/** Starts a service, and creates job runners that act like further processes on the same store. */
async function startRunners(t: TestContext) {
  const app = await startApp(t)
  const log: string[] = []
  const steady = { now: 0 }
  const logger = pino({}, { write: (line: string) => log.push(line) })
  const { context } = app.service
  const runnerOf = (jobs: Jobs) =>
    createJobRunner(context, jobs, { logger, loss: createOutageReporter(logger), steady: () => steady.now })
  const row = async (name = 'job') => (await listJobs(context.db)).get(name)
  return { app, context, clock: app.clock, steady, log, runnerOf, row }
}

/** Creates a job that is always due. */
const jobOf = (run: Job['run']): Jobs => ({ job: { isDue: async () => true, run } })

test('a due job in several processes is run by one process at a time', async (t) => {
  const { runnerOf, row } = await startRunners(t)
  const atWork = { now: 0, max: 0, runs: 0 }
  const job = jobOf(async (_, mayContinue) => {
    atWork.now += 1
    atWork.max = Math.max(atWork.max, atWork.now)
    atWork.runs += 1
    await mayContinue()
    atWork.now -= 1
  })
  const runners = Array.from({ length: 8 }, () => runnerOf(job))
  for (let time = 1; time <= 5; time += 1) await Promise.all(runners.map((runner) => runner.round()))
  assert.equal(atWork.max, 1)
  assert.ok(atWork.runs >= 5, `${atWork.runs}`)
  assert.deepEqual([(await row())?.holder, (await row())?.failures], [null, 0])
})

test('a job whose process died is taken over after 30 seconds without a renewal', async (t) => {
  const { context, runnerOf, steady, row } = await startRunners(t)
  await context.write(changes.takeJob, 'job', 'the dead one')
  let runs = 0
  const { round } = runnerOf(
    jobOf(async () => {
      runs += 1
    }),
  )
  await round()
  steady.now = 29_999
  await round()
  assert.equal(runs, 0)
  assert.equal(
    await context.write(changes.renewJob, 'job', 'the dead one'),
    true,
    'the slow process still has its lease',
  )
  await round()
  steady.now += 29_999
  await round()
  assert.equal(runs, 0)

  steady.now += 1
  await round()
  assert.equal(runs, 1)
  assert.equal((await row())?.holder, null)
})

test('a process that has lost its lease runs no further step and does not release the lease of the new holder', async (t) => {
  const { context, runnerOf, steady, row } = await startRunners(t)
  const steps: string[] = []
  const slow = runnerOf(
    jobOf(async (_, mayContinue) => {
      steps.push('slow')
      // During this step, another process sees the lease expire and takes over.
      const other = runnerOf(jobOf(async () => void steps.push('other')))
      await other.round()
      steady.now += 30_000
      await other.round()
      await context.write(changes.takeJob, 'job', 'a third one', (await row())?.beat)
      if (await mayContinue()) steps.push('slow again')
    }),
  )
  await slow.round()
  assert.deepEqual(steps, ['slow', 'other'])
  assert.equal((await row())?.holder, 'a third one')
})

test('a job that fails is logged, and retried after pauses that double up to an hour', async (t) => {
  const { runnerOf, clock, log, row } = await startRunners(t)
  const tries: number[] = []
  let broken = true
  const { round } = runnerOf(
    jobOf(async () => {
      tries.push(clock.now)
      if (broken) throw new Error('the printer is on fire')
    }),
  )
  while (tries.length < 12) {
    await round()
    clock.now += 5_000
  }
  const pauses = tries.slice(1).map((at, index) => (at - (tries[index] ?? 0)) / 1_000)
  assert.deepEqual(pauses, [10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600])
  assert.equal((await row())?.failures, 12)
  assert.match(log[0] ?? '', /the printer is on fire.*the job job failed; it will be retried/)

  broken = false
  clock.now += 3_600_000
  await round()
  assert.deepEqual([(await row())?.failures, (await row())?.due_at], [0, 0])
  assert.equal((await row())?.ended_at, clock.now)
})

test('a job that failed while the clock was ahead is retried within an hour', async (t) => {
  const { runnerOf, clock } = await startRunners(t)
  let runs = 0
  const { round } = runnerOf(
    jobOf(async () => {
      runs += 1
      if (runs === 1) throw new Error('once')
    }),
  )
  clock.now += 365 * 86_400_000
  await round()
  clock.now -= 365 * 86_400_000
  await round()
  assert.equal(runs, 2)
})

test('a job that fails because the store is unavailable logs one line, and one line for the recovery', async (t) => {
  const { runnerOf, clock, log } = await startRunners(t)
  let isLost = true
  const { round } = runnerOf(
    jobOf(async () => {
      if (isLost) throw new ApiError('service_unavailable', { cause: new Error('no disk') })
    }),
  )
  for (let time = 1; time <= 3; time += 1) {
    await round()
    clock.now += 3_600_000
  }
  isLost = false
  await round()
  assert.deepEqual(
    log.map((line) => JSON.parse(line).msg),
    ['the job job failed because the store is unavailable', 'the database is available again'],
  )
})

test('a job stopped between two steps can be taken over by another process immediately', async (t) => {
  const { runnerOf, row } = await startRunners(t)
  const steps: string[] = []
  const job = (name: string, atStep: () => void = () => undefined) =>
    jobOf(async (_, mayContinue) => {
      for (const step of ['a', 'b']) {
        if (!(await mayContinue())) return
        steps.push(name + step)
        atStep()
      }
    })
  const first = runnerOf(job('first ', () => first.stop()))
  await first.round()
  assert.deepEqual([(await row())?.holder, (await row())?.ended_at], [null, null])
  await first.round()
  await runnerOf(job('next ')).round()
  assert.deepEqual(steps, ['first a', 'next a', 'next b'])
})

test('while no job is due, nothing is written', async (t) => {
  const { context, runnerOf, row } = await startRunners(t)
  let runs = 0
  const none: Jobs = {
    job: {
      isDue: async () => false,
      run: async () => {
        runs += 1
      },
    },
  }
  const written: Change[] = []
  const write: Context['write'] = (change, ...args) => {
    written.push(change)
    return context.write(change, ...args)
  }
  const { round } = createJobRunner({ ...context, write }, none, {
    logger: pino({ level: 'silent' }),
    loss: createOutageReporter(pino({ level: 'silent' })),
    steady: () => 0,
  })
  await round()
  await runnerOf(none).round()
  assert.deepEqual([runs, written], [0, []])
  assert.equal(await row(), undefined)
})
