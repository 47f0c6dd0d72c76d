import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { cleanup } from '../src/testing/cleanup.ts'
import { needs } from './given.ts'
import { ATTACKERS, startService, withstand } from './slow-clients-honest.ts'
import { NEEDS_PROC } from './slow-clients-process.ts'

const PROGRAM = 'slowhttptest'
const CONNECTIONS = ATTACKERS * 4
const PACE = ['-c', String(CONNECTIONS), '-r', '2000', '-l', '60', '-i', '1', '-p', '3', '-v', '0']
for (const [kind, path, flags] of [
  ['headers', '/v1/pets', ['-H']],
  ['bodies', '/v1/pets', ['-B', '-s', '8192']],
  ['reading', '/docs', ['-X', '-k', '10', '-n', '2', '-z', '32', '-w', '512', '-y', '1024']],
] as const) {
  test(`${PROGRAM} with ${CONNECTIONS} connections of slow ${kind} is sent away; others are served`, {
    skip: needs(PROGRAM).skip || NEEDS_PROC.skip,
  }, async (t) => {
    const service = await startService(t)
    await withstand(t, service, CONNECTIONS, () => {
      // A body is only read of who has a key, and the program knows of no other way to send one.
      const type = `application/json\r\nAuthorization: Bearer ${service.key}`
      const target = ['-u', service.address + path, '-f', type]
      const child = spawn(PROGRAM, [...PACE, ...flags, ...target], { stdio: 'ignore' })
      cleanup(t).defer(() => void child.kill('SIGKILL'))
    })
  })
}
