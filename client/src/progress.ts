/** How much of a file was sent, in bytes. */
export interface Progress {
  sent: number
  total: number
}

/** The part of a browser's XMLHttpRequest that is used here. DOM types are not available everywhere. */
interface BrowserRequest {
  readonly status: number
  /** URL of the response, after redirects. */
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

interface Upload {
  method: string
  headers: Headers
  body: Blob
  signal: AbortSignal
}

/** Sends a file like `fetch` and reports progress, which `fetch` cannot. */
export function sendWithProgress(
  url: URL,
  upload: Upload,
  onProgress: OnProgress,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => BrowserRequest }
  if (XMLHttpRequest) return sendByXhr(new XMLHttpRequest(), url, upload, onProgress)
  const total = upload.body.size
  let sent = 0
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      controller.enqueue(piece)
      sent += piece.length
      onProgress({ sent, total })
    },
  })
  // Streaming bodies need `duplex`, which not every type of `fetch` has.
  const streaming = { body: upload.body.stream().pipeThrough(counting), duplex: 'half' }
  return fetch(url, { ...upload, ...streaming, redirect: 'error' } as RequestInit)
}

/**
 * Only XMLHttpRequest reports progress in browsers. It follows redirects, and sends the key along within the
 * same origin.
 */
function sendByXhr(
  request: BrowserRequest,
  url: URL,
  { method, headers, body, signal }: Upload,
  onProgress: OnProgress,
): Promise<Response> {
  return new Promise<Response>((done, fail) => {
    const abort = (): void => request.abort()
    signal.addEventListener('abort', abort)
    request.upload.onprogress = ({ loaded, total }) => onProgress({ sent: loaded, total })
    request.onload = () => {
      // Redirects cannot be turned off; at least the response of another URL is not accepted.
      if (request.responseURL === url.href) done(responseOf(request))
      else fail(new TypeError('The URL redirects; redirects are not followed.'))
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

function responseOf(request: BrowserRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split('\r\n')
  const headers = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string])
  const { status } = request
  return new Response(status === 204 ? null : request.responseText, { status, headers })
}
