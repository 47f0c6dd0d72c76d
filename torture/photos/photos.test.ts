import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { cleanup } from '../../src/testing/cleanup.ts'
import { waitFor } from '../lab/parallel.ts'
import { measure, PROBED } from '../lab/probed.ts'
import { childrenOf, megabytesOf, NEEDS_PROC } from '../lab/proc.ts'
import { randomOf, reached, rounds } from '../lab/rounds.ts'
import { ANYBODY, type Service, startService } from '../lab/service.ts'
import { corpus, MARK, type Specimen } from './corpus.ts'

const DAMAGED = rounds(40)
/** The process that reads photos watches itself every 10 ms: a decoder may take more within those. */
const MAX_CHILD_MEGABYTES = 256 + 64
const MAX_GROWTH_MEGABYTES = 30
/** Behind all photos, from a collected heap: far less than they were sent in. */
const MAX_KEPT_MEGABYTES = 10
const MB = 2 ** 20
const LONGEST_MS = 12_000
const LONGEST_LIVEZ_MS = 1_000
const FILES = ['-300.webp', '-600.webp', '-1200.webp', '-2400.webp', '-1200.jpg']
const TRACES = new RegExp(`${MARK}|Exif|ICC_PROFILE|xmpmeta|<script|PK\\x03\\x04`)

/** The most that the children of the service took, and the longest that somebody else waited. */
function watch({ process, ask }: Service) {
  const most = { child: 0, livezMs: 0 }
  let asking = false
  const looking = setInterval(async () => {
    for (const pid of childrenOf(process.child.pid)) {
      try {
        // One that has just ended holds nothing.
        most.child = Math.max(most.child, megabytesOf(pid, 'most') || 0)
      } catch {
        // It has just ended.
      }
    }
    if (asking) return
    asking = true
    const since = performance.now()
    await ask('/livez').catch(() => undefined)
    most.livezMs = Math.max(most.livezMs, performance.now() - since)
    asking = false
  }, 50)
  return { most, stop: () => clearInterval(looking) }
}

async function upload({ ask }: Service, petId: number, { bytes, type = 'image/jpeg' }: Specimen) {
  const headers = { 'content-type': type }
  return ask(`/v1/pets/${petId}/photos`, { method: 'POST', body: bytes, headers })
}

/** Every file of a photo is a picture and tells nothing else. */
async function assertClean({ address }: Service, full: string, name: string): Promise<void> {
  const begin = address + new URL(full).pathname.slice(0, -'-2400.webp'.length)
  for (const file of FILES) {
    const answer = await fetch(begin + file)
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.equal(answer.status, 200, `${name}: ${begin}${file}`)
    assert.match(String(answer.headers.get('content-type')), /^image\/(webp|jpeg)$/)
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    await sharp(bytes, { failOn: 'warning' }).raw().toBuffer()
    assert.doesNotMatch(bytes.toString('latin1'), TRACES, `${name}: ${file}`)
  }
}

test(
  'whatever is sent as a photo is shown clean or refused, and costs nobody else anything',
  NEEDS_PROC,
  async (t) => {
    const service = await startService(t, { settings: { ...ANYBODY, ...PROBED } })
    const { ask } = service
    const folder = join(dirname(service.settings.DATABASE_URL.slice('sqlite:'.length)), 'photos')
    const random = randomOf()
    // All are made before anybody is timed: some take this process whole turns of a second.
    const specimens: Specimen[] = []
    for await (const specimen of corpus(random, DAMAGED)) specimens.push(specimen)
    // What the start took is no measure.
    await measure(service.process)
    await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    const ordinary = await measure(service.process)
    const watched = watch(service)
    cleanup(t).defer(watched.stop)
    const counts = { shown: 0, refused: 0 }
    let longest = 0
    let petId = 0
    for (const specimen of specimens) {
      // No more than 20 photos of one animal.
      if (counts.shown % 15 === 0)
        petId = (await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })).body.id
      const since = performance.now()
      const { status, body, text } = await upload(service, petId, specimen)
      longest = Math.max(longest, performance.now() - since)
      assert.ok(specimen.answers.includes(status), `${specimen.name}: ${status} ${text}`)
      counts[status < 300 ? 'shown' : 'refused'] += 1
      if (status === 422) assert.equal(body.code, 'invalid_image', specimen.name)
      if (status === 201) await assertClean(service, body.sizes.full, specimen.name)
    }
    watched.stop()

    const after = await measure(service.process)
    const grown = Math.round((after.mostBytes - ordinary.mostBytes) / MB)
    const kept = Math.round((after.keptBytes - ordinary.keptBytes) / MB)
    // What is made beside the requests may be in the middle of one.
    await waitFor(t, () => globSync('incoming/*', { cwd: folder }).length === 0)
    assert.equal(globSync('??/*', { cwd: folder }).length % FILES.length, 0)
    const { child, livezMs } = watched.most
    assert.ok(longest < LONGEST_MS, `an answer took ${longest} ms`)
    assert.ok(child <= MAX_CHILD_MEGABYTES, `a photo took ${child} MB`)
    assert.ok(livezMs < LONGEST_LIVEZ_MS, `/livez took ${livezMs} ms`)
    assert.ok(grown <= MAX_GROWTH_MEGABYTES, `the service grew by ${grown} MB`)
    assert.ok(kept <= MAX_KEPT_MEGABYTES, `the service kept ${kept} MB`)
    const met = `${counts.shown} shown, ${counts.refused} refused, ${Math.round(longest)} ms at most`
    reached(
      t,
      `${met}; ${child} MB for a photo, ${grown} MB more for the service, ${kept} MB kept, /livez ${Math.round(livezMs)} ms`,
    )
  },
)
