import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import sharp from 'sharp'
import { cleanup } from '../../src/testing/cleanup.ts'
import { waitFor } from '../lab/parallel.ts'
import { measure, PROBED } from '../lab/probed.ts'
import { childrenOf, megabytesOf, NEEDS_PROC } from '../lab/proc.ts'
import { randomOf, reportFigure, rounds } from '../lab/rounds.ts'
import { NO_ANONYMOUS_LIMITS, type Service, startService } from '../lab/service.ts'
import { corpus, MARK, type Specimen } from './corpus.ts'

const DAMAGED = rounds(40)
/** The process that decodes photos checks its memory every 10 ms, so a decoder may briefly use more. */
const MAX_CHILD_MEGABYTES = 256 + 64
const MAX_GROWTH_MEGABYTES = 30
/** Growth of the heap after all photos and a garbage collection: far less than the size of the photos. */
const MAX_RETAINED_MEGABYTES = 10
const MB = 2 ** 20
const MAX_ANSWER_MS = 12_000
const MAX_LIVEZ_MS = 1_000
const FILES = ['-300.webp', '-600.webp', '-1200.webp', '-2400.webp', '-1200.jpg']
const TRACES = new RegExp(`${MARK}|Exif|ICC_PROFILE|xmpmeta|<script|PK\\x03\\x04`)

/** Watches the memory of the service's children, and how long other requests wait. */
function watch({ process, ask }: Service) {
  const most = { child: 0, livezMs: 0 }
  let asking = false
  const looking = setInterval(async () => {
    for (const pid of childrenOf(process.child.pid)) {
      try {
        most.child = Math.max(most.child, megabytesOf(pid, 'max') || 0)
      } catch {
        // The process has just ended.
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

/** Asserts that every file of a photo is an image without metadata. */
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
  'any file as a photo: shown without metadata or rejected, and no other client waits',
  NEEDS_PROC,
  async (t) => {
    const service = await startService(t, { settings: { ...NO_ANONYMOUS_LIMITS, ...PROBED } })
    const { ask } = service
    const folder = join(dirname(service.settings.DATABASE_URL.slice('sqlite:'.length)), 'photos')
    const random = randomOf()
    // All files are made before the timing starts, because some block this process for a second.
    const specimens: Specimen[] = []
    for await (const specimen of corpus(random, DAMAGED)) specimens.push(specimen)
    // Resets the measurement, which includes the start.
    await measure(service.process)
    await ask('/v1/pets', { body: { name: 'Rex', categoryId: 1 } })
    const baseline = await measure(service.process)
    const watched = watch(service)
    cleanup(t).defer(watched.stop)
    const counts = { shown: 0, refused: 0 }
    let longest = 0
    let petId = 0
    for (const specimen of specimens) {
      // An animal may have 20 photos.
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
    const grown = Math.round((after.maxBytes - baseline.maxBytes) / MB)
    const retained = Math.round((after.retainedBytes - baseline.retainedBytes) / MB)
    // Renditions that are made after the response may not be done.
    await waitFor(t, () => globSync('incoming/*', { cwd: folder }).length === 0)
    assert.equal(globSync('??/*', { cwd: folder }).length % FILES.length, 0)
    const { child, livezMs } = watched.most
    assert.ok(longest < MAX_ANSWER_MS, `an answer took ${longest} ms`)
    assert.ok(child <= MAX_CHILD_MEGABYTES, `a photo took ${child} MB`)
    assert.ok(livezMs < MAX_LIVEZ_MS, `/livez took ${livezMs} ms`)
    assert.ok(grown <= MAX_GROWTH_MEGABYTES, `the service grew by ${grown} MB`)
    assert.ok(retained <= MAX_RETAINED_MEGABYTES, `the service kept ${retained} MB`)
    const counted = `${counts.shown} shown, ${counts.refused} refused, ${Math.round(longest)} ms at most`
    reportFigure(
      t,
      `${counted}; ${child} MB for a photo, ${grown} MB more for the service, ${retained} MB kept, /livez ${Math.round(livezMs)} ms`,
    )
  },
)
