import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs'
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
    const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, disk.folder])
    const full = { name: 'full', begin: disk.fill, end: disk.free }
    const readOnly = { name: 'read-only', begin: () => remount('ro'), end: () => remount('rw') }
    const away = `${folder}-away`
    const gone = {
      name: 'gone',
      begin: () => renameSync(folder, away),
      end() {
        assert.ok(!existsSync(folder), 'nothing was written where the folder was')
        renameSync(away, folder)
      },
    }
    // A mount point whose disk is gone is an empty folder.
    const unmounted = {
      name: 'unmounted',
      begin() {
        renameSync(folder, away)
        mkdirSync(folder)
      },
      end() {
        assert.deepEqual(readdirSync(folder), [])
        rmdirSync(folder)
        renameSync(away, folder)
      },
    }
    const states = [full, readOnly, gone, unmounted]
    let refused = 0
    for (let time = 0; time < TIMES; time += 1) {
      const petId = (await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })).body.id
      const first = await add(petId)
      assert.equal(first.status, 201, first.text)
      const shown = new URL(first.body.sizes.small).pathname
      for (const state of states) {
        const { name } = state
        assert.equal((await ask(shown)).status, 200, `before ${name}`)
        state.begin()
        const answer = await add(petId)
        assert.deepEqual([answer.status, answer.body.code], [503, 'service_unavailable'], name)
        assert.ok(!answer.text.includes(disk.folder), name)
        const isThere = state === full || state === readOnly
        if (isThere) assert.equal((await ask(shown)).status, 200, `${name}: what is there is given`)
        assert.equal((await ask('/v1/pets')).status, 200, name)
        state.end()
        refused += 1
        assert.equal((await add(petId)).status, 201, `after ${name}`)
        assert.equal((await ask(shown)).status, 200, `after ${name}`)
      }
      assert.deepEqual(readdirSync(join(folder, 'incoming')), [])
      await ask(`/v1/pets/${petId}`, { method: 'DELETE' })
    }
    reached(t, `${refused} uploads refused with 503, and taken when there was room`)
  },
)
