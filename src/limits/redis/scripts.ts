import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'

/** Runs a script on the store. @returns its answer */
export type Run = (script: string, keys: string[], args: (string | number)[]) => Promise<unknown[]>

const shas = new Map<string, string>()

function shaOf(script: string): string {
  const sha = shas.get(script) ?? createHash('sha1').update(script).digest('hex')
  shas.set(script, sha)
  return sha
}

type Guard = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

/** Names scripts by their digests, once their text went over the connection; a new one has to forget that. */
export function scriptsOn(redis: Redis, guard: Guard): { run: Run; forget(): void } {
  const sent = new Set<string>()
  return {
    forget: () => sent.clear(),
    async run(script, keys, args) {
      const rest = [keys.length, ...keys, ...args] as const
      // What is asked next must not overtake this because the server had to be told of the script first.
      if (sent.has(script)) {
        try {
          return (await guard(() => redis.evalsha(shaOf(script), ...rest))) as unknown[]
        } catch (error) {
          if (!/NOSCRIPT/.test((error as Error).message)) throw error
        }
      }
      sent.add(script)
      return (await guard(() => redis.eval(script, ...rest))) as unknown[]
    },
  }
}
