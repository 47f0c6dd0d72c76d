import { styleText } from 'node:util'
import type { Staff } from '../staff/store.ts'
import { alignedLines, type Output } from './terminal.ts'

/** Somebody as a program reads it, without their password. */
export type ShownStaff = ReturnType<typeof toShown>

export function toShown({ id, email, name, role, organization, password, createdAt }: Staff) {
  return {
    id,
    email,
    name,
    role,
    ...(organization !== null && { organization }),
    state: password === null ? 'invited' : 'active',
    createdAt: new Date(createdAt).toISOString(),
  }
}

const COLUMNS = ['id', 'email', 'name', 'role', 'organization', 'state', 'created']

/** Columns for a person at a terminal; elsewhere tabs between cells, for a program. */
export function linesOf(staff: ShownStaff[], stdout: Output): string[] {
  const rows = [
    COLUMNS,
    ...staff.map(({ id, email, name, role, organization = '', state, createdAt }) => {
      return [String(id), email, name, role, organization, state, createdAt]
    }),
  ]
  if (!stdout.isTTY) return rows.map((cells) => cells.join('\t'))
  const [head = '', ...lines] = alignedLines(rows)
  return [styleText('bold', head, { stream: stdout }), ...lines]
}
