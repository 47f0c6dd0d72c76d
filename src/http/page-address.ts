import type { FastifyContextConfig, FastifySchema } from 'fastify'
import type { ObjectSchema } from './query.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Names of the query parameters that the route reads, or a test of a name. For routes without a query
     * schema.
     */
    parameters?: readonly string[] | ((name: string) => boolean)
  }
}

interface Route {
  config?: FastifyContextConfig
  schema?: FastifySchema | undefined
}

/**
 * Returns the canonical form of a URL. It has the path and only the parameters that the route reads, encoded
 * and in a fixed order. URLs with the same canonical form get the same response.
 */
export function pageAddress(url: string, route: Route): string {
  if (!/[?#%]/.test(url)) return url
  const [path, query] = splitUrl(url)
  const reads = parameterTest(route)
  const parameters = query
    .split('&')
    .map((text) => ({ text, name: tryDecode(text.split('=', 1)[0] ?? '') ?? '' }))
    .filter(({ name }) => reads(name))
    // A stable sort keeps repeated parameters in order, because a route may read only the first or the last
    // of them.
    .sort(({ name: left }, { name: right }) => Number(left > right) - Number(left < right))
    .map(({ text }) => text.split('=').map(canonicalQueryText).join('='))
  return canonicalPath(path) + (parameters.length > 0 ? `?${parameters.join('&')}` : '')
}

/** Splits a URL at its first `?` or `#`; the router treats both as the start of the query. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.search(/[?#]/)
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** Returns one spelling for all encodings of a path that the router treats as equal. */
export function canonicalPath(path: string): string {
  return path.split('/').map(canonicalText).join('/')
}

function parameterTest({ config, schema }: Route): (name: string) => boolean {
  const names = config?.parameters
  if (typeof names === 'function') return names
  if (names) return (name) => names.includes(name)
  const { properties = {} } = (schema?.querystring ?? {}) as Partial<ObjectSchema>
  // A name with brackets causes a validation error, so it must stay in the canonical URL.
  return (name) => Object.hasOwn(properties, name.split('[', 1)[0] ?? '')
}

/** Re-encodes text. Text that cannot be decoded stays unchanged, because it has no other spelling. */
function canonicalText(text: string): string {
  const decodedText = text.includes('%') ? tryDecode(text) : undefined
  return decodedText === undefined ? text : encodeURIComponent(decodedText)
}

/** Like `canonicalText`, but a plus means a space, as in a query. */
function canonicalQueryText(text: string): string {
  const word = text.replaceAll('+', '%20')
  return tryDecode(word) === undefined ? text : canonicalText(word)
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
