import type { ErrorDetail } from '../errors.ts'
import { createBodyValidator } from '../http/validate.ts'
import { FIELDS, type Member } from '../pets/fields.ts'
import { merge, problemsOf } from '../pets/rules.ts'
import { NewPet } from '../pets/schema.ts'
import { isObject } from './source-row.ts'

type Json = Record<string, unknown>

/** Validates a body of POST /v1/pets. */
export const validateBody = createBodyValidator(NewPet)

/** Members that an animal needs: if they are wrong, the line is refused. */
const REQUIRED = /^\/(?:name|categoryId|organizationId|status)?$/

/**
 * Removes invalid members from an animal of another program, so a wrong weight does not refuse the animal.
 * Required members stay, even if invalid.
 * @returns the rest, and the names of the removed members
 */
export function dropInvalid(animal: Json, now: number): { body: Json; left: string[] } {
  const left = new Set<string>()
  let body = truncateLists(animal, left)
  // Removing one part of a member may make the rest of the member invalid.
  for (;;) {
    const wrong = findProblems(body, now).flatMap(({ pointer = '' }) =>
      REQUIRED.test(pointer) ? [] : [pointer.slice(1)],
    )
    if (wrong.length === 0) return { body, left: [...left] }
    for (const path of wrong) {
      const [member = '', part] = path.split('/')
      const whole = body[member]
      // The rest of the member may still be valid.
      const isPart = part !== undefined && typeof whole === 'object' && whole !== null && part in whole
      left.add(isPart && !Array.isArray(whole) ? `${member}.${part}` : member)
      body = { ...body, [member]: isPart ? without(whole, part) : undefined }
    }
    body = dropUndefined(body)
  }
}

/** Returns the problems of single members. If there are none, returns the problems between members. */
function findProblems(body: Json, now: number): ErrorDetail[] {
  const alone = validateBody(body).error?.details ?? []
  if (alone.length > 0) return alone
  return problemsOf(merge({}, body as NewPet), body as NewPet, now)
}

/** Cuts lists that are too long. */
function truncateLists(animal: Json, left: Set<string>): Json {
  const members = Object.entries(animal).map(([name, value]) => {
    const { maxItems } = (FIELDS[name as Member]?.schema ?? {}) as { maxItems?: number }
    if (!Array.isArray(value) || maxItems === undefined || value.length <= maxItems) return [name, value]
    left.add(`${name} beyond ${maxItems}`)
    return [name, value.slice(0, maxItems)]
  })
  return Object.fromEntries(members)
}

function without(whole: object, part: string): unknown {
  if (Array.isArray(whole)) return whole.with(Number(part), undefined)
  return { ...whole, [part]: undefined }
}

/** Drops undefined members and items, also in objects and lists. Validation treats them as present. */
export function dropUndefined(animal: Json): Json {
  const members = Object.entries(animal).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return []
    if (Array.isArray(value)) {
      const items = value.filter((item) => item !== undefined)
      return items.length > 0 || value.length === 0 ? [[name, items]] : []
    }
    if (!isObject(value)) return [[name, value]]
    const parts = Object.entries(value).filter(([, part]) => part !== undefined)
    return parts.length > 0 || Object.keys(value).length === 0 ? [[name, Object.fromEntries(parts)]] : []
  })
  return Object.fromEntries(members)
}
