import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { freePort } from '../../src/testing/port.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'

/** Which packets are lost without a word: ours to the place, its own to us, or all. */
export type Way = 'there' | 'back' | 'both' | 'unplugged'

/** A network namespace behind a line of its own, as another machine would be. */
export interface Place {
  host: string
  /** Begins the command line of a program that runs there, as nobody. */
  inside: string[]
  cut(way: Way): void
  mend(): void
}

/** Nobody's: what is sent there is lost. */
const WRONG_ADDRESS = '02:00:00:00:00:99'
/** Of the user and the group nobody. */
const NOBODY = '65534'

let places = 0

/** Gone after the test. Only root can make one. */
export function makePlace(t: TestContext): Place {
  places += 1
  const [name, near, far] = ['', 'a', 'b'].map((part) => `adp${process.pid}x${places}${part}`)
  const [here = '', there = ''] = [1, 2].map((last) => `10.213.${process.pid % 250}.${places * 4 + last}`)
  const ip = (line: string): void => void execFileSync('ip', line.split(' '))
  const inPlace = (line: string): void => ip(`-n ${name} ${line}`)

  ip(`netns add ${name}`)
  // With it goes the line.
  cleanup(t).defer(() => ip(`netns del ${name}`))
  ip(`link add ${near} type veth peer name ${far} netns ${name}`)
  ip(`addr add ${here}/30 dev ${near}`)
  ip(`link set ${near} up`)
  inPlace(`addr add ${there}/30 dev ${far}`)
  inPlace(`link set ${far} up`)
  inPlace('link set lo up')
  return {
    host: there,
    inside: ['nsenter', `--net=/run/netns/${name}`, `--setuid=${NOBODY}`, `--setgid=${NOBODY}`, '--'],
    cut(way) {
      if (way === 'unplugged') return inPlace(`link set ${far} down`)
      const to = `lladdr ${WRONG_ADDRESS} nud permanent`
      if (way !== 'back') ip(`neigh replace ${there} dev ${near} ${to}`)
      if (way !== 'there') inPlace(`neigh replace ${here} dev ${far} ${to}`)
    },
    mend() {
      inPlace(`link set ${far} up`)
      // Both find each other anew.
      ip(`neigh flush dev ${near} nud permanent`)
      inPlace(`neigh flush dev ${far} nud permanent`)
    },
  }
}

/** @returns the URL of a Redis in this place */
export async function startRedisIn(t: TestContext, { host, inside }: Place): Promise<string> {
  const port = await freePort()
  const [program = '', ...before] = inside
  const settings = ['--port', `${port}`, '--bind', host, '--protected-mode', 'no', '--save', '']
  const cwd = scratchFolder(t)
  // It looks there for a dump.
  chmodSync(cwd, 0o755)
  const server = spawn(program, [...before, 'redis-server', ...settings], { cwd, stdio: 'ignore' })
  cleanup(t).defer(async () => {
    const gone = once(server, 'exit')
    if (server.kill('SIGKILL')) await gone
  })
  while (!(await canConnect(host, port))) {
    if (server.exitCode !== null) throw new Error('Redis has ended')
    await pause(10)
  }
  return `redis://${host}:${port}`
}

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
