import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { picture } from '../../src/testing/pictures.ts'
import { needsMounts, smallDisk } from '../lab/disks.ts'
import { reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, startService } from '../lab/service.ts'

const TIMES = rounds(20)

test(
  'a folder of photos that is full, read-only or gone is a 503, and all is well when it is back',
  needsMounts(),
  async (t) => {
    const disk = smallDisk(t, '4m')
    const folder = join(disk.folder, 'photos')
    const service = await startService(t, { settings: { ...ANYBODY, PHOTOS_URL: `file:${folder}` } })
    const { ask } = service
    let number = 0
    const add = async (petId: number) => {
      number += 1
      const body = await picture({ number, width: 300 + number, height: 300 })
      const headers = { 'content-type': 'image/jpeg' }
      return ask(`/v1/pets/${petId}/photos`, { method: 'POST', body, headers })
    }
    const states: [name: string, begin: () => void, end: () => void][] = [
      ['full', disk.fill, disk.free],
      [
        'read-only',
        () => execFileSync('mount', ['-o', 'remount,ro', disk.folder]),
        () => execFileSync('mount', ['-o', 'remount,rw', disk.folder]),
      ],
      ['a file', () => renameSync(folder, `${folder}-away`), () => renameSync(`${folder}-away`, folder)],
    ]
    let refused = 0
    for (let time = 0; time < TIMES; time += 1) {
      const petId = (await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })).body.id
      const first = await add(petId)
      assert.equal(first.status, 201, first.text)
      const shown = new URL(first.body.sizes.small).pathname
      for (const [name, begin, end] of states.slice(0, 2)) {
        begin()
        const answer = await add(petId)
        assert.deepEqual([answer.status, answer.body.code], [503, 'service_unavailable'], name)
        assert.ok(!answer.text.includes(disk.folder), name)
        assert.equal((await ask(shown)).status, 200, `${name}: what is there is given`)
        assert.equal((await ask('/v1/pets')).status, 200, name)
        end()
        refused += 1
        assert.equal((await add(petId)).status, 201, `after ${name}`)
      }
      // Moved away, a new one is begun: what was in the other one is a 404 until that is back.
      const [, away] = states[2] ?? []
      away?.()
      assert.equal((await add(petId)).status, 201)
      execFileSync('rm', ['-r', folder])
      states[2]?.[2]()
      assert.equal((await ask(shown)).status, 200)
      assert.deepEqual(readdirSync(join(folder, 'incoming')), [])
      await ask(`/v1/pets/${petId}`, { method: 'DELETE' })
    }
    reached(t, `${refused} uploads refused with 503, and taken when there was room`)
  },
)
