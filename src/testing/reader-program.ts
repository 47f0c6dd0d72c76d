import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'
import { scratchFolder } from './start-app.ts'

// Replacements for the program of the photo process. A replacement reads tasks from file descriptor 3 and
// writes its answers to the same descriptor.

/** Replaces Node.js by another program until the test ends. @returns a function that reverts this earlier */
export function replaceNode(t: TestContext, path: string): () => void {
  const { execPath } = process
  const putBack = (): void => {
    process.execPath = execPath
  }
  process.execPath = path
  cleanup(t).defer(putBack)
  return putBack
}

/** Creates a program from lines of shell code. */
export function shellProgram(t: TestContext, lines: string): string {
  const file = join(scratchFolder(t), 'node')
  writeFileSync(file, `#!/bin/sh\n${lines}\n`)
  chmodSync(file, 0o755)
  return file
}

/**
 * Replaces the photo process by a program that answers one task per call of `allow`, without making an image.
 */
export function pauseReader(t: TestContext) {
  const folder = scratchFolder(t)
  const [log, gate] = [join(folder, 'log'), join(folder, 'gate')]
  execFileSync('mkfifo', [gate])
  // Opens the file for reading and writing, so unread bytes stay in the pipe.
  const opened = openSync(gate, 'r+')
  cleanup(t).defer(() => closeSync(opened))
  const lines = `
while read -r task <&3; do
  echo "$task" >> ${log}
  read -r go < ${gate}
  echo "$task" | grep -o '"file":"[^"]*"' | cut -d'"' -f4 | while read -r file; do echo made > "$file"; done
  echo '{"rendered":{"width":9,"height":9},"bytes":1}' >&3
done`
  replaceNode(t, shellProgram(t, lines))
  return {
    allow: (photos: number): void => void writeSync(opened, 'go\n'.repeat(photos)),
    /** Returns the names of the renditions of each photo that was begun. */
    begun: (): string[] => {
      const tasks = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
      return tasks.map((task) => [...task.matchAll(/"form":"(\w+)"/g)].map(([, form]) => form).join())
    },
  }
}
