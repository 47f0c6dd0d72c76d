import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
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

/**
 * The executable as a process of its own, with only the settings given; ended when the test ends.
 *
 * @param options detached: the first of a group of processes, which a signal to its negative id reaches
 */
export function spawnCli(
  t: TestContext,
  args: string[],
  settings: Record<string, string>,
  cwd = process.cwd(),
  { detached = false, stderr = 'pipe' as 'pipe' | number } = {},
): RunningProcess {
  const child = spawn(process.execPath, [resolve('bin/adoptable.js'), ...args], {
    cwd,
    detached,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', stderr],
  })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk: Buffer) => {
      output[name] += chunk
    })
  }
  const exited = once(child, 'close').then(([code]) => ({ code, ...output }))
  const serving = new Promise<string>((serve, reject) => {
    child.stdout?.on('data', () => {
      const address = /serves (http:\S+)\/v1/.exec(output.stdout)?.[1]
      if (address) serve(address)
    })
    void exited.then(({ stderr }) => reject(new Error(`it ended before it served: ${stderr}`)))
  })
  serving.catch(() => undefined)
  t.after(() => child.kill('SIGKILL'))
  return { child, output, serving, exited }
}

/** Runs the executable to its end. */
export function runCli(
  t: TestContext,
  args: string[],
  settings: Record<string, string>,
  cwd?: string,
): Promise<Exit> {
  return spawnCli(t, args, settings, cwd).exited
}
