import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import v8 from 'node:v8'
import vm from 'node:vm'
import { readConfig } from '../config.ts'
import { identifyFile, openToWrite } from '../db/open-sqlite.ts'
import { fileWriter } from '../db/writer.ts'
import type { Limits } from '../plans.ts'
import { cleanup } from '../testing/cleanup.ts'
import { sameThread } from '../testing/same-thread.ts'
import { scratchFolder } from '../testing/start-app.ts'
import type { Account, Limiter } from './limiter.ts'
import { openMemoryLimiter } from './memory.ts'

const { ban } = readConfig({})

v8.setFlagsFromString('--expose-gc')
const collectGarbage: () => void = vm.runInNewContext('gc')

async function openLimiter(t: TestContext): Promise<Limiter> {
  const file = join(scratchFolder(t), 'test.db')
  const { db } = await openToWrite(file)
  const writer = fileWriter(sameThread, identifyFile(file))
  cleanup(t).defer(() => db.destroy())
  cleanup(t).defer(() => writer.close())
  return openMemoryLimiter({ db, write: writer.write, clock: () => 1_800_000_000_000, ban })
}

const key = (limits: Limits): Account => ({ name: 'key:1', limits, ban })
const address = (name: string, limits: Limits): Account => ({ name: `ip:${name}`, limits })
const FREE = { perMinute: 60, perDay: 1_000 }

async function allowedOf(limiter: Limiter, caller: Account, requests: number): Promise<number> {
  const verdicts = await Promise.all(Array.from({ length: requests }, () => limiter.take(caller)))
  return verdicts.filter(({ outcome }) => outcome === 'allowed').length
}

/** Generates addresses. */
const FLOOD = 60

test(`${FLOOD},000 addresses: no counter is reset, addresses beyond 50,000 use one counter, memory stays under 64 MB`, async (t) => {
  const limiter = await openLimiter(t)
  const victim = address('192.0.2.1', { perMinute: 5, perDay: 10 })
  assert.equal(await allowedOf(limiter, key(FREE), 60), 60)
  assert.equal(await allowedOf(limiter, victim, 5), 5)
  collectGarbage()
  const before = process.memoryUsage().heapUsed

  let served = 0
  for (let block = 0; block < FLOOD; block += 1) {
    const limits = { perMinute: 2, perDay: 2 }
    const names = Array.from({ length: 1_000 }, (_, index) => `10.${block >> 8}.${block & 255}.${index}`)
    const verdicts = await Promise.all(names.map((name) => limiter.take(address(name, limits))))
    served += verdicts.filter(({ outcome }) => outcome === 'allowed').length
  }

  collectGarbage()
  const grown = (process.memoryUsage().heapUsed - before) / 1_048_576
  assert.ok(grown < 64, `${grown.toFixed(1)} MB`)
  // 50,000 addresses have their own counter, including the victim; the other addresses share one.
  assert.equal(served, 49_999 + 2)
  assert.equal((await limiter.take(key(FREE))).outcome, 'limited')
  assert.equal((await limiter.take(victim)).outcome, 'limited')
})
