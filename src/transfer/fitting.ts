import type { ErrorDetail } from '../errors.ts'
import { FIELDS, type Member } from '../pets/fields.ts'
import { isObject } from './source-row.ts'

type Json = Record<string, unknown>

/** What an animal cannot be without, or what a line is refused for. */
const NEEDED = /^\/(?:name|categoryId|status)?$/

/**
 * Takes out of an animal of another program what would not be taken here, so that a wrong weight keeps nobody's animal
 * out; what it has to have stays wrong.
 *
 * @param problemsOf what is wrong with it
 * @returns the rest, and the names of the members that were left out
 */
export function fitting(
  animal: Json,
  problemsOf: (animal: Json) => ErrorDetail[],
): { body: Json; left: string[] } {
  const left = new Set<string>()
  let body = withoutSurplus(animal, left)
  // A member may be wrong in itself, and the rest of it for the lack of that.
  for (;;) {
    const wrong = problemsOf(body).flatMap(({ pointer = '' }) =>
      NEEDED.test(pointer) ? [] : [pointer.slice(1)],
    )
    if (wrong.length === 0) return { body, left: [...left] }
    for (const path of wrong) {
      const [member = '', part] = path.split('/')
      const whole = body[member]
      // Without one of its parts it may still say something.
      const isPart = part !== undefined && typeof whole === 'object' && whole !== null && part in whole
      left.add(isPart && !Array.isArray(whole) ? `${member}.${part}` : member)
      body = { ...body, [member]: isPart ? without(whole, part) : undefined }
    }
    body = present(body)
  }
}

/** Of a list that is longer than it may be, the first ones. */
function withoutSurplus(animal: Json, left: Set<string>): Json {
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

/** An absent member is another matter than an undefined one, also within an object. */
export function present(animal: Json): Json {
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
