import { styleText } from 'node:util'
import type { Key } from '../keys/store.ts'
import { alignedLines, type Output } from './terminal.ts'

/** A key as a program reads it, without its secrets. */
export type ShownKey = ReturnType<typeof toShown>

export function toShown(key: Key) {
  const { id, name, plan, access, organization, per_minute, per_day, created_at, revoked_at } = key
  return {
    id,
    name,
    plan,
    access,
    ...(organization !== null && { organization }),
    ...(per_minute === null ? {} : { perMinute: per_minute, perDay: per_day }),
    createdAt: new Date(created_at).toISOString(),
    ...(revoked_at === null ? {} : { revokedAt: new Date(revoked_at).toISOString() }),
  }
}

const COLUMNS = ['id', 'name', 'plan', 'access', 'created', 'state']

function cellsOf({ id, name, plan, access, createdAt, revokedAt }: ShownKey): string[] {
  return [String(id), name, plan, access, createdAt, revokedAt ? `revoked ${revokedAt}` : 'valid']
}

/** Columns for a person at a terminal; elsewhere tabs between cells, for a program. */
export function linesOf(keys: ShownKey[], stdout: Output): string[] {
  const rows = [[...COLUMNS], ...keys.map(cellsOf)]
  // Last, and only where there are any: who reads the others finds them where they were.
  if (keys.some(({ organization }) => organization))
    for (const [index, row] of rows.entries())
      row.push(index ? (keys[index - 1]?.organization ?? '') : 'organization')
  if (!stdout.isTTY) return rows.map((cells) => cells.join('\t'))
  const [head = '', ...lines] = alignedLines(rows)
  return [styleText('bold', head, { stream: stdout }), ...lines]
}
