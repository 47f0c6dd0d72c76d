import { execFileSync } from 'node:child_process'
import { chmodSync, closeSync, existsSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { cleanup } from './cleanup.ts'
import { scratchFolder } from './start-app.ts'

// Other programs in the place of Node.js, for the process that reads photos: it gets its tasks, and answers
// them, over file descriptor 3.

/** Another program in the place of Node.js, until the test ends or that is called. */
export function exchangeNode(t: TestContext, path: string): () => void {
  const { execPath } = process
  const putBack = (): void => {
    process.execPath = execPath
  }
  process.execPath = path
  cleanup(t).defer(putBack)
  return putBack
}

/** A program that does what these lines of a shell say. */
export function shellProgram(t: TestContext, lines: string): string {
  const file = join(scratchFolder(t), 'node')
  writeFileSync(file, `#!/bin/sh\n${lines}\n`)
  chmodSync(file, 0o755)
  return file
}

/** Of which photos are read one by one, as the test allows it; what is made of them is no picture. */
export function holdReader(t: TestContext) {
  const folder = scratchFolder(t)
  const [log, gate] = [join(folder, 'log'), join(folder, 'gate')]
  execFileSync('mkfifo', [gate])
  // Both ways, so that what nobody has read yet stays in it.
  const opened = openSync(gate, 'r+')
  cleanup(t).defer(() => closeSync(opened))
  const lines = `
while read -r task <&3; do
  echo "$task" >> ${log}
  read -r go < ${gate}
  echo "$task" | grep -o '"file":"[^"]*"' | cut -d'"' -f4 | while read -r file; do echo made > "$file"; done
  echo '{"rendered":{"width":9,"height":9},"bytes":1}' >&3
done`
  exchangeNode(t, shellProgram(t, lines))
  return {
    allow: (photos: number): void => void writeSync(opened, 'go\n'.repeat(photos)),
    /** The forms of the photos that were begun. */
    begun: (): string[] => {
      const tasks = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []
      return tasks.map((task) => [...task.matchAll(/"form":"(\w+)"/g)].map(([, form]) => form).join())
    },
  }
}
