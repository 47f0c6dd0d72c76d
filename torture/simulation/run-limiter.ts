import type { BanRule } from '../../src/config.ts'
import type { Account, Limiter } from '../../src/limits/limiter.ts'
import { openRedisLimiter } from '../../src/limits/redis/limiter.ts'
import { RECONCILE } from '../../src/limits/redis/scripts.ts'
import { type Random, randomFrom } from '../lab/random.ts'
import type { RedisModel } from './redis-model.ts'
import { after, connectTo, EPOCH_MS, type Line, openServer, type Server } from './server.ts'
import { startVirtualTime } from './virtual-time.ts'

/** One answer of the limiter; times are virtual milliseconds. */
export interface AnsweredRequest {
  caller: string
  sentAt: number
  answeredAt: number
  outcome: string
  lost: boolean
  limit: number
  remaining: number
  resetAtSeconds: number
  retryAfterSeconds: number
}

/** The events of one simulation. */
export interface History {
  limits: Account['limits']
  taken: AnsweredRequest[]
  /** Descriptions for a failure. */
  faults: string[]
  /** Every minute that the store opened, with its caller and start. */
  minutes: Map<string, { caller: string; start: number }>
  /** By caller: the requests charged in the day at the end, and those leased to processes. */
  charged: Map<string, { used: number; promised: number }>
  /** Whether a process was killed or counts as killed. */
  killed: boolean
  /** Whether the store restarted. The highest total that a process remembers then counts. */
  restarted: boolean
  /** Whether the store lost its data while a process existed that no running process knew (a stranger). */
  strangers: boolean
  /** The first answer of the store with a negative figure, and its arguments; empty if there is none. */
  negative: string
  /** Allowed requests of 30 by a new caller with a limit of 20, after the recovery. */
  fresh: number
  /** Whether requests are still reserved for a killed process at the end. */
  isShareReserved: boolean
}

/** Runs a process, or the one that replaces it. */
interface Host {
  name: string
  line: Line
  limiter: Limiter | undefined
}

const SETTLED_MS = 6_000
const MAX_PROCESSES = 6
const MINUTE_MS = 60_000
const ABANDONED_MS = 905_000
const FRESH = { perMinute: 20, perDay: 1_000 }

interface Options {
  /** Whether one process is silent for so long that the others abandon it. */
  abandoned?: boolean
}

/** Simulates several processes on one Redis with faults. Everything follows from the seed. */
export async function runLimiter(
  model: RedisModel,
  seed: number,
  { abandoned = false }: Options = {},
): Promise<History> {
  const time = startVirtualTime()
  try {
    const running = simulate(model, randomFrom(seed), abandoned)
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

async function simulate(model: RedisModel, random: Random, abandoned: boolean): Promise<History> {
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
    .slice(0, random.integer(1, 2))
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
    isShareReserved: false,
  }
  const hosts = Array.from({ length: random.integer(2, 4) }, (_, number) => newHost(`host:${number} `))
  let ids = 0
  let over = false

  async function startProcess(host: Host): Promise<void> {
    host.line = newLine()
    const { line } = host
    const ahead = random.integer(0, 1e9)
    const limiter = await openRedisLimiter({
      server: {},
      connect: () => connectTo(server, line),
      newId: () => `process${++ids}`,
      clock: () => EPOCH_MS + ahead + performance.now(),
      ban,
    })
    if (line === host.line && !line.dead) host.limiter = limiter
  }

  async function ask(host: Host, caller: Account): Promise<void> {
    const [sentAt, { line, limiter }] = [performance.now(), host]
    const ruling = await limiter?.take(caller)
    // A killed process cannot answer.
    if (!ruling || line.dead) return
    const { outcome, storeError, ...figures } = ruling
    const answeredAt = performance.now()
    history.taken.push({
      caller: caller.name,
      sentAt,
      answeredAt,
      outcome,
      lost: storeError !== undefined,
      ...figures,
    })
  }

  async function client(): Promise<void> {
    while (!over) {
      const [host, caller] = [random.pick(hosts), random.pick(callers)]
      const burst = random.pick([1, 1, 2, 5, 20])
      for (let turn = 0; turn < burst; turn += 1) void ask(host, caller)
      await after(random.pick([1, 20, 100, 400, 2_000]))
    }
  }

  observe(server, history)
  await Promise.all(hosts.map(startProcess))
  const clients = Array.from({ length: random.integer(1, 3) }, client)
  const longest = random.pick([20_000, 45_000, 45_000, 150_000])
  const world = { server, hosts, random, history, startProcess }
  if (random.chance(0.9)) await injectFaults(world, longest)
  else await after(longest)
  if (abandoned) await staySilent(world)
  await repair(world)
  await after(SETTLED_MS)
  over = true
  await Promise.all(clients)
  // How long the store reserves the lease of a killed process, and what it may have served offline.
  await after(history.killed && abandoned ? ABANDONED_MS + MINUTE_MS + 1_000 : 1_000)

  history.isShareReserved = history.killed && !abandoned
  const fresh: Account = { name: 'key:fresh', limits: FRESH }
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, turn) => hosts[turn % hosts.length]?.limiter?.take(fresh)),
  )
  history.fresh = answers.filter(
    (ruling) => ruling?.outcome === 'allowed' && ruling.storeError === undefined,
  ).length
  for (const { name } of callers) {
    const day = `local day = redis.call('HMGET', KEYS[1], 'du', 'dx')
      return { day[1] or '0', day[2] or '0' }`
    const [used, promised] = model.run(server.now(), day, [`adoptable:{${name}}`], []).map(Number)
    history.charged.set(name, { used: used ?? 0, promised: promised ?? 0 })
  }
  return history
}

/** Records every minute that the store opens, and whether the store restarted while there was no stranger. */
function observe(server: Server, history: History): void {
  const { run } = server.model
  const meet = watchStrangers(history)
  server.model.run = (now, script, keys, args) => {
    const answer = run(now, script, keys, args)
    if (keys[0]?.includes(':{processes}:')) meet(args.map(String), answer)
    const caller = /^adoptable:\{((?:key|ip):[^}]*)\}$/.exec(keys[0] ?? '')?.[1]
    if (!caller) return answer
    // For the minute and for the day: requests used, charged through this process, and leased to this
    // process. Then requests leased to all processes, and requests reported as served.
    const figures = [...answer.slice(6, 9), ...answer.slice(11, 14), ...run(now, PROMISED, keys, [])]
    if (script === RECONCILE && args[3] !== 'release') figures.push(args[7], args[12])
    if (figures.some((figure) => Number(figure) < 0)) history.negative ||= `${answer} from ${args}`
    if (answer.length > 5 && answer[4] !== '') {
      history.minutes.set(`${caller} ${answer[4]}`, { caller, start: Number(answer[5]) - EPOCH_MS })
    }
    return answer
  }
}

/** @returns a function that gets each sign of life (see scripts.ts) and its answer */
function watchStrangers(history: History): (args: string[], answer: unknown[]) => void {
  /** For each process that joined, the processes that it knew. */
  const knownTo = new Map<string, Set<string>>()
  /** Processes that were present while a new Redis gathered their counters. */
  let [gathering, present] = ['', new Set<string>()]
  let opened = ''
  return ([id = '', kind], [, number, open, , processes]) => {
    if (number !== gathering) [gathering, present] = [String(number), new Set()]
    present.add(id)
    if (open === 1 && opened !== gathering) {
      opened = gathering
      const listed = new Set([...present].flatMap((one) => [one, ...(knownTo.get(one) ?? [])]))
      // In runs that kill processes the store does not lose its memory.
      history.strangers ||= !history.killed && [...knownTo.keys()].some((one) => !listed.has(one))
    }
    if (kind === 'alive' || knownTo.has(id))
      knownTo.set(id, new Set([...(knownTo.get(id) ?? []), ...String(processes).split(',')]))
  }
}

const PROMISED = `local got = redis.call('HMGET', KEYS[1], 'mx', 'dx')
return { got[1] or '0', got[2] or '0' }`

interface World {
  server: Server
  hosts: Host[]
  random: Random
  history: History
  startProcess(host: Host): Promise<void>
}

/** Faults of one run. Killed processes and lost memory together may lose counts, so a run has only one. */
type Family = 'processes' | 'memory'

async function injectFaults(world: World, longest: number): Promise<void> {
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
  ({ hosts, random }) => {
    const host = random.pick(hosts)
    host.line.state = random.pick(['refused', 'silent', 'silent'])
    return `${host.name} ${host.line.state}`
  },
  ({ server, hosts, random }) => {
    const host = random.pick(hosts)
    host.line.state = 'open'
    if (random.chance(0.5)) {
      for (const connection of server.connections) if (connection.line === host.line) server.end(connection)
    }
    return `${host.name} open`
  },
  ({ hosts, random }) => {
    const host = random.pick(hosts)
    host.line.delayMs = random.pick([1, 5, 40, 100, 300])
    return `${host.name} up to ${host.line.delayMs} ms`
  },
  ({ hosts }) => {
    for (const { line } of hosts) Object.assign(line, { state: 'open', delayMs: 2 })
    return 'all lines open'
  },
  ({ server, random }) => {
    server.paused = random.chance(0.4)
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
      const host = world.random.pick(world.hosts)
      kill(world, host)
      await after(world.random.pick([10, 500, 3_000]))
      await world.startProcess(host)
      return `${host.name} killed and started again`
    },
    async (world) => {
      const cut = world.random.pick(world.hosts)
      cut.line.state = world.random.pick(['refused', 'silent'])
      await after(world.random.pick([10, 500, 3_000]))
      if (world.hosts.length === MAX_PROCESSES) return `${cut.name} cut off`
      const other = newHost(cut.name)
      await world.startProcess(other)
      world.hosts.push(other)
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

function kill({ server, history }: World, host: Host): void {
  history.killed = true
  host.line.dead = true
  host.limiter = undefined
  for (const connection of server.connections) if (connection.line === host.line) server.end(connection)
}

/** Makes a process silent for more than the quarter of an hour for which its requests are reserved. */
async function staySilent(world: World): Promise<void> {
  await repair(world)
  await after(SETTLED_MS)
  const line = world.hosts[0]?.line
  if (line) line.state = 'silent'
  // To the other processes, a silent process looks like a killed one.
  world.history.killed = true
  world.history.faults.push(`${Math.floor(performance.now())} ms: a process away until it is given up`)
  await after(ABANDONED_MS)
}

async function repair({ server, hosts, startProcess }: World): Promise<void> {
  server.paused = false
  if (!server.running) server.start('all')
  for (const { line } of hosts) Object.assign(line, { state: 'open', delayMs: 2 })
  for (const host of hosts) if (!host.limiter) await startProcess(host)
}

function newHost(name: string): Host {
  return { name, line: newLine(), limiter: undefined }
}

function newLine(): Line {
  return { state: 'open', delayMs: 2, dead: false }
}
