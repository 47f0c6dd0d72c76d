/** How much of a file has gone, in bytes. */
export interface Progress {
  sent: number
  total: number
}

/** Of a browser's XMLHttpRequest what is used here: types of the DOM are not everywhere. */
interface PageRequest {
  readonly status: number
  /** Where the answer came from, behind all redirections. */
  readonly responseURL: string
  readonly responseText: string
  readonly upload: { onprogress: (event: { loaded: number; total: number }) => void }
  onload: () => void
  onerror: () => void
  onabort: () => void
  onloadend: () => void
  open(method: string, url: URL): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: Blob): void
  abort(): void
}

export type OnProgress = (progress: Progress) => void

interface Sent {
  method: string
  headers: Headers
  body: Blob
  signal: AbortSignal
}

/** Sends a file as `fetch` does, and tells how it goes: `fetch` alone tells nothing of what it sends. */
export function sendTelling(
  url: URL,
  sent: Sent,
  onProgress: OnProgress,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => PageRequest }
  if (XMLHttpRequest) return sendByPage(new XMLHttpRequest(), url, sent, onProgress)
  const total = sent.body.size
  let gone = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece)
      gone += piece.length
      onProgress({ sent: gone, total })
    },
  })
  // A body that is made while it goes needs this word, which not every type of `fetch` has.
  const streaming = { body: sent.body.stream().pipeThrough(counting), duplex: 'half' }
  return fetch(url, { ...sent, ...streaming, redirect: 'error' } as RequestInit)
}

/**
 * Browsers tell of what they send in this old way alone. It follows redirections, with the key too where they
 * stay in the origin.
 */
function sendByPage(
  request: PageRequest,
  url: URL,
  { method, headers, body, signal }: Sent,
  onProgress: OnProgress,
): Promise<Response> {
  return new Promise<Response>((done, fail) => {
    const abort = (): void => request.abort()
    signal.addEventListener('abort', abort)
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total })
    request.onload = () => {
      // It cannot be told to follow none: what it was led to is at least not taken for an answer.
      if (request.responseURL === url.href) done(responseOf(request))
      else fail(new TypeError('The address redirects, which is not followed.'))
    }
    request.onerror = () => fail(new TypeError('The network failed.'))
    request.onabort = () => fail(signal.reason)
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.open(method, url)
    for (const [name, value] of headers) request.setRequestHeader(name, value)
    if (signal.aborted) fail(signal.reason)
    else request.send(body)
  })
}

function responseOf(request: PageRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
  const { status } = request
  return new Response(status === 204 ? null : request.responseText, { status, headers })
}
