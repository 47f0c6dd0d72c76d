import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

export interface Exit {
  code: number | null
  stdout: string
  stderr: string
}

export interface RunningProcess {
  child: ChildProcess
  /** What it wrote so far. */
  output: { stdout: string; stderr: string }
  /** Resolves with the address, once it serves. */
  serving: Promise<string>
  exited: Promise<Exit>
}

/** The executable as a process of its own, with only the settings given; ended when the test ends. */
export function spawnCli(t: TestContext, args: string[], settings: Record<string, string>): RunningProcess {
  const child = spawn(process.execPath, ['bin/adoptable.js', ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      output[name] += chunk
    })
  }
  const exited = once(child, 'close').then(([code]) => ({ code, ...output }))
  const serving = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const address = /serves (http:\S+)\/v1/.exec(output.stdout)?.[1]
      if (address) resolve(address)
    })
    void exited.then(({ stderr }) => reject(new Error(`it ended before it served: ${stderr}`)))
  })
  serving.catch(() => undefined)
  t.after(() => child.kill('SIGKILL'))
  return { child, output, serving, exited }
}

/** Runs the executable to its end. */
export function runCli(t: TestContext, args: string[], settings: Record<string, string>): Promise<Exit> {
  return spawnCli(t, args, settings).exited
}
