import type { BanRule } from '../../src/config.ts'
import type { Account, Limiter } from '../../src/limits/limiter.ts'
import { redisLimiter } from '../../src/limits/redis/limiter.ts'
import { RECONCILE } from '../../src/limits/redis/scripts.ts'
import { type Random, randomFrom } from '../lab/random.ts'
import { connectTo } from './client.ts'
import type { RedisModel } from './redis-model.ts'
import { after, EPOCH_MS, type Line, openServer, type Server } from './server.ts'
import { startVirtualTime } from './virtual-time.ts'

/** One answer of the limiter; times are virtual milliseconds. */
export interface Taken {
  caller: string
  askedAt: number
  answeredAt: number
  outcome: string
  lost: boolean
  limit: number
  remaining: number
  resetAtSeconds: number
  retryAfterSeconds: number
}

/** What happened under one seed. */
export interface History {
  limits: Account['limits']
  taken: Taken[]
  /** In words. */
  faults: string[]
  /** Every minute that the store opened: its caller and its start. */
  minutes: Map<string, { caller: string; start: number }>
  /** What the store has charged each caller for the day in the end, and has promised to processes. */
  charged: Map<string, { used: number; promised: number }>
  /** Whether a process was, or was taken to be. */
  killed: boolean
  /** Whether the store was: the highest total that anybody remembers then counts. */
  restarted: boolean
  /** Whether it began anew without a process of which nobody who was there had ever heard. */
  strangers: boolean
  /** The first answer of the store, and its question, with a figure below zero; '' if there is none. */
  negative: string
  /** How many of 30 requests of a new caller with a limit of 20 were allowed after all was mended. */
  fresh: number
  /** Whether a share is still kept then for a process that was killed. */
  kept: boolean
}

/** A place in which a process runs, or another one after it. */
interface Place {
  name: string
  line: Line
  limiter: Limiter | undefined
}

const CALM_MS = 6_000
const MAX_PROCESSES = 6
const MINUTE_MS = 60_000
const GIVEN_UP_MS = 905_000
const FRESH = { perMinute: 20, perDay: 1_000 }

interface Options {
  /** Whether one process is away for so long that the others give it up. */
  givenUp?: boolean
}

/** Lets some processes serve under one Redis while faults happen; all of it follows from the seed. */
export async function runLimiter(
  model: RedisModel,
  seed: number,
  { givenUp = false }: Options = {},
): Promise<History> {
  const time = startVirtualTime()
  try {
    const running = simulate(model, randomFrom(seed), givenUp)
    let done = false
    const ended = running.finally(() => {
      done = true
    })
    ended.catch(() => undefined)
    while (!done) await time.pass(1_000)
    return await ended
  } finally {
    time.end()
  }
}

async function simulate(model: RedisModel, random: Random, givenUp: boolean): Promise<History> {
  const server = openServer(model, random)
  const perMinute = random.pick([5, 17, 40, 100])
  const limits = { perMinute, perDay: random.pick([perMinute, 2 * perMinute + 1, 5 * perMinute, 1_000_000]) }
  const ban: BanRule = {
    afterRefusals: random.pick([5, 1_000_000]),
    windowSeconds: 60,
    seconds: 30,
    longestSeconds: 300,
    memorySeconds: 600,
  }
  const callers = ['key:1', 'ip:192.0.2.1']
    .slice(0, random.whole(1, 2))
    .map((name): Account => ({ name, limits, ...(name.startsWith('key') && { ban }) }))
  const history: History = {
    limits,
    taken: [],
    faults: [],
    minutes: new Map(),
    charged: new Map(),
    killed: false,
    restarted: false,
    strangers: false,
    negative: '',
    fresh: 0,
    kept: false,
  }
  const places = Array.from({ length: random.whole(2, 4) }, (_, number) => newPlace(`host:${number} `))
  let ids = 0
  let over = false

  async function startProcess(place: Place): Promise<void> {
    place.line = newLine()
    const { line } = place
    const ahead = random.whole(0, 1e9)
    const limiter = await redisLimiter({
      server: {},
      connect: () => connectTo(server, line),
      newId: () => `process${++ids}`,
      clock: () => EPOCH_MS + ahead + performance.now(),
      ban,
    })
    if (line === place.line && !line.dead) place.limiter = limiter
  }

  async function ask(place: Place, caller: Account): Promise<void> {
    const [askedAt, { line, limiter }] = [performance.now(), place]
    const ruling = await limiter?.take(caller)
    // Nobody hears the answer of a process that was killed.
    if (!ruling || line.dead) return
    const { outcome, lost, ...figures } = ruling
    const answeredAt = performance.now()
    history.taken.push({
      caller: caller.name,
      askedAt,
      answeredAt,
      outcome,
      lost: lost !== undefined,
      ...figures,
    })
  }

  async function client(): Promise<void> {
    while (!over) {
      const [place, caller] = [random.pick(places), random.pick(callers)]
      const burst = random.pick([1, 1, 2, 5, 20])
      for (let turn = 0; turn < burst; turn += 1) void ask(place, caller)
      await after(random.pick([1, 20, 100, 400, 2_000]))
    }
  }

  observe(server, history)
  await Promise.all(places.map(startProcess))
  const clients = Array.from({ length: random.whole(1, 3) }, client)
  const longest = random.pick([20_000, 45_000, 45_000, 150_000])
  const world = { server, places, random, history, startProcess }
  if (random.often(0.9)) await doHarm(world, longest)
  else await after(longest)
  if (givenUp) await beAway(world)
  await mend(world)
  await after(CALM_MS)
  over = true
  await Promise.all(clients)
  // For so long a share is kept for a process that was killed, and a reserve for what it may have served alone.
  await after(history.killed && givenUp ? GIVEN_UP_MS + MINUTE_MS + 1_000 : 1_000)

  history.kept = history.killed && !givenUp
  const fresh: Account = { name: 'key:fresh', limits: FRESH }
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, turn) => places[turn % places.length]?.limiter?.take(fresh)),
  )
  history.fresh = answers.filter(
    (ruling) => ruling?.outcome === 'allowed' && ruling.lost === undefined,
  ).length
  for (const { name } of callers) {
    const day = `local day = redis.call('HMGET', KEYS[1], 'du', 'dx')
      return { day[1] or '0', day[2] or '0' }`
    const [used, promised] = model.run(server.now(), day, [`adoptable:{${name}}`], []).map(Number)
    history.charged.set(name, { used: used ?? 0, promised: promised ?? 0 })
  }
  return history
}

/** Writes down every minute that the store opens, and whether it began anew without a stranger. */
function observe(server: Server, history: History): void {
  const { run } = server.model
  const meet = strangersIn(history)
  server.model.run = (now, script, keys, args) => {
    const answer = run(now, script, keys, args)
    if (keys[0]?.includes(':{processes}:')) meet(args.map(String), answer)
    const caller = /^adoptable:\{((?:key|ip):[^}]*)\}$/.exec(keys[0] ?? '')?.[1]
    if (!caller) return answer
    // Used, charged here and promised here, of the minute and of the day; promised to all; reported as served.
    const figures = [...answer.slice(6, 9), ...answer.slice(11, 14), ...run(now, PROMISED, keys, [])]
    if (script === RECONCILE && args[3] !== 'release') figures.push(args[7], args[12])
    if (figures.some((figure) => Number(figure) < 0)) history.negative ||= `${answer} from ${args}`
    if (answer.length > 5 && answer[4] !== '') {
      history.minutes.set(`${caller} ${answer[4]}`, { caller, start: Number(answer[5]) - EPOCH_MS })
    }
    return answer
  }
}

/** @returns what looks at each sign of life, as scripts.ts has it, and at its answer */
function strangersIn(history: History): (args: string[], answer: unknown[]) => void {
  /** Each process that has joined, and those of which it was ever told. */
  const knownTo = new Map<string, Set<string>>()
  /** Who was there while a new memory gathered what the processes knew. */
  let [gathering, present] = ['', new Set<string>()]
  let opened = ''
  return ([id = '', kind], [, number, open, , processes]) => {
    if (number !== gathering) [gathering, present] = [String(number), new Set()]
    present.add(id)
    if (open === 1 && opened !== gathering) {
      opened = gathering
      const known = new Set([...present].flatMap((one) => [one, ...(knownTo.get(one) ?? [])]))
      // Where processes are killed, the store forgets nothing.
      history.strangers ||= !history.killed && [...knownTo.keys()].some((one) => !known.has(one))
    }
    if (kind === 'alive' || knownTo.has(id))
      knownTo.set(id, new Set([...(knownTo.get(id) ?? []), ...String(processes).split(',')]))
  }
}

const PROMISED = `local got = redis.call('HMGET', KEYS[1], 'mx', 'dx')
return { got[1] or '0', got[2] or '0' }`

interface World {
  server: Server
  places: Place[]
  random: Random
  history: History
  startProcess(place: Place): Promise<void>
}

/** A process that is killed must not take what nobody else heard with it into a store without memory. */
type Family = 'processes' | 'memory'

async function doHarm(world: World, longest: number): Promise<void> {
  const { random, history } = world
  const family = random.pick<Family>(['processes', 'memory'])
  const end = performance.now() + longest
  while (performance.now() < end) {
    const fault = random.pick(FAULTS[family])
    const at = Math.floor(performance.now())
    history.faults.push(`${at} ms: ${await fault(world)}`)
    await after(random.pick([30, 300, 1_500, 5_000, 12_000]))
  }
}

type Fault = (world: World) => string | Promise<string>

const ON_LINES: Fault[] = [
  ({ places, random }) => {
    const place = random.pick(places)
    place.line.state = random.pick(['refused', 'silent', 'silent'])
    return `${place.name} ${place.line.state}`
  },
  ({ server, places, random }) => {
    const place = random.pick(places)
    place.line.state = 'open'
    if (random.often(0.5)) {
      for (const connection of server.connections) if (connection.line === place.line) server.end(connection)
    }
    return `${place.name} open`
  },
  ({ places, random }) => {
    const place = random.pick(places)
    place.line.delayMs = random.pick([1, 5, 40, 100, 300])
    return `${place.name} up to ${place.line.delayMs} ms`
  },
  ({ places }) => {
    for (const { line } of places) Object.assign(line, { state: 'open', delayMs: 2 })
    return 'all lines open'
  },
  ({ server, random }) => {
    server.paused = random.often(0.4)
    return `store ${server.paused ? 'paused' : 'goes on'}`
  },
  ({ server }) => {
    for (const connection of server.connections) server.end(connection)
    return 'every connection ended'
  },
]

const FAULTS: Record<Family, Fault[]> = {
  processes: [
    ...ON_LINES,
    async (world) => {
      const place = world.random.pick(world.places)
      kill(world, place)
      await after(world.random.pick([10, 500, 3_000]))
      await world.startProcess(place)
      return `${place.name} killed and started again`
    },
    async (world) => {
      const cut = world.random.pick(world.places)
      cut.line.state = world.random.pick(['refused', 'silent'])
      await after(world.random.pick([10, 500, 3_000]))
      if (world.places.length === MAX_PROCESSES) return `${cut.name} cut off`
      const other = newPlace(cut.name)
      await world.startProcess(other)
      world.places.push(other)
      return `${cut.name} cut off, and another started under its name`
    },
    async ({ server, random, history }) => {
      history.restarted = true
      server.kill()
      await after(random.pick([10, 500, 3_000]))
      server.start('all')
      return 'store started again with all it had'
    },
  ],
  memory: [
    ...ON_LINES,
    async ({ server, random, history }) => {
      history.restarted = true
      const keeping = random.pick(['nothing', 'older'] as const)
      server.kill()
      await after(random.pick([10, 500, 3_000]))
      server.start(keeping)
      return `store started again with ${keeping}`
    },
    ({ server }) => {
      server.model.save()
      return 'store saved'
    },
  ],
}

function kill({ server, history }: World, place: Place): void {
  history.killed = true
  place.line.dead = true
  place.limiter = undefined
  for (const connection of server.connections) if (connection.line === place.line) server.end(connection)
}

/** For longer than the quarter of an hour for which its share is kept, with the store there. */
async function beAway(world: World): Promise<void> {
  await mend(world)
  await after(CALM_MS)
  const line = world.places[0]?.line
  if (line) line.state = 'silent'
  // To the others that is the same.
  world.history.killed = true
  world.history.faults.push(`${Math.floor(performance.now())} ms: a process away until it is given up`)
  await after(GIVEN_UP_MS)
}

async function mend({ server, places, startProcess }: World): Promise<void> {
  server.paused = false
  if (!server.running) server.start('all')
  for (const { line } of places) Object.assign(line, { state: 'open', delayMs: 2 })
  for (const place of places) if (!place.limiter) await startProcess(place)
}

function newPlace(name: string): Place {
  return { name, line: newLine(), limiter: undefined }
}

function newLine(): Line {
  return { state: 'open', delayMs: 2, dead: false }
}
