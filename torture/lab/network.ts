import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync } from 'node:fs'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { cleanup } from '../../src/testing/cleanup.ts'
import { freePort } from '../../src/testing/port.ts'
import { scratchFolder } from '../../src/testing/start-app.ts'

/** Which packets are silently dropped: to the namespace, from it, or both. */
export type CutKind = 'there' | 'back' | 'both' | 'unplugged'

/** A network namespace with its own link, like another machine. */
export interface NetworkNamespace {
  host: string
  /** Start of the command line of a program that runs in the namespace as user nobody. */
  inside: string[]
  cut(way: CutKind): void
  restore(): void
}

/** An unused MAC address, so packets to it are lost. */
const WRONG_ADDRESS = '02:00:00:00:00:99'
/** Id of the user and the group nobody. */
const NOBODY = '65534'

let namespaces = 0

/** Creates a namespace, which is removed after the test. Needs root. */
export function createNamespace(t: TestContext): NetworkNamespace {
  namespaces += 1
  const [name, near, far] = ['', 'a', 'b'].map((part) => `adp${process.pid}x${namespaces}${part}`)
  const [here = '', there = ''] = [1, 2].map((last) => `10.213.${process.pid % 250}.${namespaces * 4 + last}`)
  const ip = (line: string): void => void execFileSync('ip', line.split(' '))
  const ipInside = (line: string): void => ip(`-n ${name} ${line}`)

  ip(`netns add ${name}`)
  // Deleting the namespace deletes the link too.
  cleanup(t).defer(() => ip(`netns del ${name}`))
  ip(`link add ${near} type veth peer name ${far} netns ${name}`)
  ip(`addr add ${here}/30 dev ${near}`)
  ip(`link set ${near} up`)
  ipInside(`addr add ${there}/30 dev ${far}`)
  ipInside(`link set ${far} up`)
  ipInside('link set lo up')
  return {
    host: there,
    inside: ['nsenter', `--net=/run/netns/${name}`, `--setuid=${NOBODY}`, `--setgid=${NOBODY}`, '--'],
    cut(way) {
      if (way === 'unplugged') return ipInside(`link set ${far} down`)
      const to = `lladdr ${WRONG_ADDRESS} nud permanent`
      if (way !== 'back') ip(`neigh replace ${there} dev ${near} ${to}`)
      if (way !== 'there') ipInside(`neigh replace ${here} dev ${far} ${to}`)
    },
    restore() {
      ipInside(`link set ${far} up`)
      // Both sides look up each other's address again.
      ip(`neigh flush dev ${near} nud permanent`)
      ipInside(`neigh flush dev ${far} nud permanent`)
    },
  }
}

/** Starts Redis in the namespace. @returns its URL */
export async function startRedisIn(t: TestContext, { host, inside }: NetworkNamespace): Promise<string> {
  const port = await freePort()
  const [program = '', ...before] = inside
  const settings = ['--port', `${port}`, '--bind', host, '--protected-mode', 'no', '--save', '']
  const cwd = scratchFolder(t)
  // Redis looks for a dump in its working directory.
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
