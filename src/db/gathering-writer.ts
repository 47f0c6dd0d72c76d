import { sql } from 'kysely'
import { isUnavailable } from '../errors.ts'
import { type Call, type Gathered, type GatheredChange, type Outcome, runEachOnce } from './gathered.ts'
import { type Once, runOnce } from './once.ts'
import type { Db } from './tables.ts'
import { isConflict } from './violation.ts'
import {
  type Change,
  type Changes,
  changeIn,
  finish,
  MOST_ATTEMPTS,
  transactionWriter,
  type Writer,
} from './write.ts'

/** More than these wait for the next group, so that none waits long for its neighbours. */
const MOST_IN_A_GROUP = 128
/** So many groups are under way at once, while they are no slower than this. */
const MOST_GROUPS = 2
const SLOW_MS = 50

/** As who knows the names of changes only when they are asked for. */
interface LooseWriter {
  write(name: string, ...args: unknown[]): Promise<unknown>
  writeOnce(once: Once, name: string, ...args: unknown[]): Promise<unknown>
}

/**
 * The writer of PostgreSQL: changes that wait at the same moment are one transaction where there is a form of
 * them for many, and each still fails alone; all others have one of their own.
 *
 * @param committed is called when something was, before the change is answered
 */
export function gatheringWriter(
  db: Db,
  changes: Changes,
  gathered: Gathered,
  committed: () => void = () => undefined,
): Writer {
  const alone = transactionWriter(db, changes, committed)
  const { write, writeOnce } = alone as LooseWriter
  const runAlone = (name: string, { args, once }: Call) =>
    once ? writeOnce(once, name, ...args) : write(name, ...args)

  function queueOf([name, together]: [string, GatheredChange]) {
    const single = changeIn(changes, name)
    const queue = openQueue(async (calls) => {
      const [first] = calls
      if (calls.length === 1 && first) return Promise.allSettled([runAlone(name, first)])
      const outcomes = await runGroup(db, calls, together, single, (inside) =>
        finish(inside, changes, [name]),
      )
      committed()
      return outcomes
    })
    return [name, queue] as const
  }
  const queues = new Map(Object.entries(gathered).map(queueOf))

  // biome-ignore lint/suspicious/noExplicitAny: write() gives each change its own type
  function ask(name: string, call: Call): Promise<any> {
    return queues.get(name)?.add(call) ?? runAlone(name, call)
  }
  return {
    ...alone,
    write: (name, ...args) => ask(name, { args, once: undefined }),
    writeOnce: (once, name, ...args) => ask(name, { args, once }),
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.idle()))
      await alone.close()
    },
  }
}

interface Waiting {
  call: Call
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Those who wait, and the groups that are made of them. @param run rejects when all of a group failed */
function openQueue(run: (calls: Call[]) => Promise<Outcome[]>) {
  const waiting: Waiting[] = []
  let underWay = 0
  let timer: NodeJS.Timeout | undefined
  let onIdle: (() => void) | undefined

  function next(): void {
    while (waiting.length > 0 && underWay < MOST_GROUPS) void begin()
    if (waiting.length > 0) {
      timer ??= setTimeout(beginAll, SLOW_MS)
    } else {
      clearTimeout(timer)
      timer = undefined
    }
  }

  /** Who waits has to be answered in time too: on other connections, or by the pool, which has none left. */
  function beginAll(): void {
    timer = undefined
    while (waiting.length > 0) void begin()
  }

  async function begin(): Promise<void> {
    const group = waiting.splice(0, MOST_IN_A_GROUP)
    underWay += 1
    await settle(group, run)
    underWay -= 1
    if (underWay === 0 && waiting.length === 0) onIdle?.()
    next()
  }

  return {
    /** What arrives in one turn of the event loop goes together. */
    add: (call: Call) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ call, resolve, reject }) === 1) setImmediate(next)
      }),
    idle: () =>
      new Promise<void>((resolve) => {
        if (underWay === 0 && waiting.length === 0) return resolve()
        onIdle = resolve
      }),
  }
}

async function settle(group: Waiting[], run: (calls: Call[]) => Promise<Outcome[]>): Promise<void> {
  try {
    const outcomes = await run(group.map(({ call }) => call))
    for (const [index, { resolve, reject }] of group.entries()) {
      const outcome = outcomes[index] as Outcome
      if (outcome.status === 'fulfilled') resolve(outcome.value)
      else reject(outcome.reason)
    }
  } catch (error) {
    for (const { reject } of group) reject(error)
  }
}

/**
 * All in one transaction; where that fails and nobody knows by whom, one by one in another. Both on one
 * connection, and so in the time of one.
 *
 * @throws when all of them failed
 */
function runGroup(
  db: Db,
  calls: Call[],
  together: GatheredChange,
  single: Change,
  end: (db: Db) => Promise<void>,
): Promise<Outcome[]> {
  const ended = async (inside: Db, outcomes: Outcome[]): Promise<Outcome[]> => {
    await end(inside)
    return outcomes
  }
  return db.connection().execute(async (one) => {
    for (let attempt = 1; attempt < MOST_ATTEMPTS; attempt += 1) {
      try {
        return await one
          .transaction()
          .execute(async (inside) => ended(inside, await runTogether(inside, calls, together, single)))
      } catch (error) {
        if (isConflict(error)) continue
        if (isUnavailable(error)) throw error
        break
      }
    }
    return one.transaction().execute(async (inside) => ended(inside, await runEach(inside, calls, single)))
  })
}

/** Who repeats a request of the same group comes after it, and finds its result. */
async function runTogether(
  db: Db,
  calls: Call[],
  together: GatheredChange,
  single: Change,
): Promise<Outcome[]> {
  const firsts = new Map(calls.map((call) => [call.once?.scope ?? call, call] as const).reverse())
  const first = calls.filter((call) => firsts.get(call.once?.scope ?? call) === call)
  const repeats = calls.filter((call) => !first.includes(call))
  const outcomes = new Map<Call, Outcome>()
  for (const [index, outcome] of (await runEachOnce(db, first, together)).entries())
    outcomes.set(first[index] as Call, outcome)
  for (const [index, outcome] of (await runEach(db, repeats, single)).entries())
    outcomes.set(repeats[index] as Call, outcome)
  return calls.map((call) => outcomes.get(call) as Outcome)
}

/** One after the other; one that throws is undone alone. */
async function runEach(db: Db, calls: Call[], single: Change): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const { args, once } of calls) {
    await sql`savepoint call`.execute(db)
    try {
      const run = () => single(db, ...args)
      outcomes.push({ status: 'fulfilled', value: once ? await runOnce(db, once, run) : await run() })
    } catch (reason) {
      if (isUnavailable(reason)) throw reason
      await sql`rollback to savepoint call`.execute(db)
      outcomes.push({ status: 'rejected', reason })
    }
    await sql`release savepoint call`.execute(db)
  }
  return outcomes
}
