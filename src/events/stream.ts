import { randomInt } from 'node:crypto'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { App } from '../http/app.ts'
import { NOSNIFF, VARY } from '../http/cache-headers.ts'
import { DRAINING } from '../http/drain.ts'
import type { Gate } from '../http/face.ts'
import { yieldToEventLoop } from '../http/turns.ts'
import { Type } from '../http/type.ts'
import { canSee, findStart, formatId, jsonOf, type LogRow, type Reader, readerOf, readLog } from './log.ts'
import { LATEST, StreamQuery } from './schema.ts'

// Streams of events: Server-Sent Events, as in the HTML standard. All streams of a process share one timer
// and one read of the log. A stream gets more events only after its client has received the previous events.

/** How often a process checks for new commits. The check is cheap. */
const POLL_MS = 50
/** How often the log and the keys are read even if nothing seems to have changed. */
const CHECK_MS = 1_000
const COMMENT_MS = 15_000
/** The maximum number of events that wait for a client: less than 64 KB. */
const PAGE_SIZE = 100
/** How long a client waits before it reconnects. After a shutdown, a random time spreads the clients. */
const RETRY_MS = 2_000
const MAX_RETRY_MS = 5_000

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must not buffer the response.
  'x-accel-buffering': 'no',
  connection: 'close',
  ...NOSNIFF,
  ...VARY,
}

const LAST_EVENT_ID = {
  type: 'string' as const,
  description: 'The id of the last event that the client has received. Takes precedence over `after`.',
  minLength: 1,
  maxLength: 16,
}

export function streamEventsRoute(app: App, context: Context, identify: Gate['identify']): void {
  const streams = openStreams(context, identify)
  app.server.once(DRAINING, streams.endAll)
  const schema = {
    operationId: 'streamEvents',
    summary: 'Stream events',
    description:
      'Sends the same events as the list, as Server-Sent Events, until the client disconnects. A client that ' +
      'reconnects sends the last id as `Last-Event-ID`, and gets the events after it. A key can have 5 streams ' +
      'at the same time. A client that stops reading is disconnected.',
    'x-stability': 'beta',
    querystring: StreamQuery,
    response: {
      200: {
        description: 'Events, oldest first. The data of each event is an Event in JSON.',
        content: { 'text/event-stream': { schema: Type.String() } },
      },
    },
  }
  const errors = { 410: 'The events after this id were removed.' }
  const config = { errors, share: 'streams' as const, headers: { 'Last-Event-ID': LAST_EVENT_ID } }
  app.get('/events/stream', { config, schema }, async (request, reply) => {
    const { after = LATEST, type: types } = request.query
    const position = await findStart(context.db, lastEventId(request) ?? after)
    reply.headers(HEADERS)
    if (request.method === 'HEAD') return reply.send('')
    reply.hijack()
    reply.raw.writeHead(200, reply.getHeaders() as OutgoingHttpHeaders)
    await streams.run({ request, response: reply.raw, types: types && new Set(types), position })
    return undefined
  })
}

/** @throws {ApiError} invalid_parameter */
function lastEventId({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const id = headers['last-event-id']
  if (id === undefined || id === '') return undefined
  if (typeof id === 'string' && /^[0-9]{16}$/.test(id)) return id
  const message = 'This must be the id of an event, which has 16 digits.'
  throw new ApiError('invalid_parameter', {
    details: [{ parameter: 'Last-Event-ID', code: 'invalid_value', message }],
  })
}

interface NewStream {
  request: FastifyRequest
  response: ServerResponse
  types: ReadonlySet<string> | undefined
  /** The id of the last event that was sent or skipped. */
  position: number
}

interface EventStream extends NewStream {
  reader: Reader
  /** The time of the last write, by the steady clock. */
  writtenAt: number
  /** The time when the buffer of the connection filled up. Absent while the client can receive more. */
  waitingSince?: number | undefined
}

interface Streams {
  /** Sends events until the client disconnects or the stream is ended. */
  run(stream: NewStream): Promise<void>
  endAll(): void
}

/** The open streams of a process. */
interface Hub extends Pick<Context, 'db' | 'config' | 'steady'> {
  streams: Set<EventStream>
  identify: Gate['identify']
  /** Whether the next check reads the log even without a new commit. */
  hasMore: boolean
  /** Called when a client can receive more events. */
  onRoom(): void
}

/** Disconnects clients that have stopped reading. Sends a comment to clients that got nothing for a while. */
function checkClient(hub: Hub, stream: EventStream, steadyNow: number): void {
  const { response, waitingSince, writtenAt, position } = stream
  if (waitingSince !== undefined) {
    if (performance.now() - waitingSince > hub.config.requestTimeoutSeconds * 1_000) response.destroy()
  } else if (steadyNow - writtenAt >= COMMENT_MS) write(hub, stream, `:\n${idLine(position)}\n`)
}

/** Ends the streams of keys that are no longer valid. */
async function checkKeys(hub: Hub): Promise<void> {
  for (const stream of hub.streams) {
    const caller = await hub.identify(stream.request.raw, stream.request.ip)
    if (caller.kind === 'key') stream.reader = readerOf(caller)
    else end(hub, stream)
    await yieldToEventLoop()
  }
}

/** Sends a page of events to each client that can receive more. @returns whether more events may follow */
async function sendNew(hub: Hub): Promise<boolean> {
  const ready = [...hub.streams].filter(({ waitingSince }) => waitingSince === undefined)
  let sent = false
  for (const [after, group] of Map.groupBy(ready, ({ position }) => position)) {
    const { rows, next } = await readLog(hub.db, { after, limit: PAGE_SIZE })
    if (next === after) continue
    sent = true
    const events = rows.map((row) => ({ row, text: textOf(row) }))
    for (const stream of group) {
      await yieldToEventLoop()
      if (!hub.streams.has(stream)) continue
      stream.position = next
      const own = events.filter(({ row }) => isFor(stream, row)).map(({ text }) => text)
      if (own.length > 0) write(hub, stream, own.join(''))
    }
  }
  return sent
}

function write(hub: Hub, stream: EventStream, text: string): void {
  const { response } = stream
  stream.writtenAt = hub.steady()
  if (response.write(text)) return
  stream.waitingSince = performance.now()
  response.once('drain', () => {
    stream.waitingSince = undefined
    hub.hasMore = true
    hub.onRoom()
  })
}

function end(hub: Hub, stream: EventStream, text?: string): void {
  hub.streams.delete(stream)
  if (stream.waitingSince === undefined) stream.response.end(text)
  else stream.response.destroy()
}

const endForShutdown = (hub: Hub, stream: EventStream): void =>
  end(hub, stream, `retry: ${randomInt(RETRY_MS, MAX_RETRY_MS)}\n\n`)

function openStreams({ db, version, config, steady }: Context, identify: Gate['identify']): Streams {
  const hub: Hub = { db, config, steady, identify, streams: new Set(), hasMore: false, onRoom: pollOnce }
  const { streams } = hub
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isLooking = false
  let lastCommits: number | undefined
  let lastKeys: number | undefined
  let checkedAt = Number.NEGATIVE_INFINITY

  async function poll(): Promise<void> {
    const [now, commits, keys] = [performance.now(), version('commits'), version('keys')]
    const isTime = now - checkedAt >= CHECK_MS
    if (isTime || keys !== lastKeys) await checkKeys(hub)
    lastKeys = keys
    if (isTime || commits !== lastCommits || hub.hasMore) {
      hub.hasMore = false
      while (await sendNew(hub));
    }
    lastCommits = commits
    if (isTime) checkedAt = now
  }

  function pollOnce(): void {
    if (isLooking) return
    isLooking = true
    poll()
      .catch(() => {
        // The store cannot be reached. The next check tries again.
        hub.hasMore = true
      })
      .finally(() => {
        isLooking = false
      })
  }

  function tick(): void {
    const now = steady()
    for (const stream of streams) checkClient(hub, stream, now)
    if (streams.size > 0) pollOnce()
    else {
      clearInterval(timer)
      timer = undefined
    }
  }

  return {
    async run(newStream) {
      const { request, position } = newStream
      const { socket } = request.raw
      const stream = { ...newStream, reader: readerOf(request.caller), writtenAt: steady() }
      if (socket.destroyed) return
      const closed = new Promise<void>((resolve) => void socket.once('close', resolve))
      // A client that has closed its side is gone. Without this, only the next write would notice.
      socket.once('end', () => socket.destroy())
      streams.add(stream)
      // A client that reconnects before its first event needs an id to continue from.
      write(hub, stream, `retry: ${RETRY_MS}\n${idLine(position)}\n`)
      hub.hasMore = true
      if (isStopped) endForShutdown(hub, stream)
      else timer ??= setInterval(tick, POLL_MS)
      await closed
      streams.delete(stream)
    },
    endAll() {
      isStopped = true
      for (const stream of streams) endForShutdown(hub, stream)
    },
  }
}

const idLine = (id: number): string => `id: ${formatId(id)}\n`

function textOf(row: LogRow): string {
  return `${idLine(row.id)}event: ${row.type}\ndata: ${jsonOf(row)}\n\n`
}

function isFor({ reader, types }: EventStream, row: LogRow): boolean {
  return canSee(reader, row) && (types?.has(row.type) ?? true)
}
