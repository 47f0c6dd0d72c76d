import type { PetHistory } from '../../../../pets/schema.ts'
import type { Texts } from '../../texts/texts.ts'
import { valuesOf } from '../forms/values.ts'
import { FORM_FIELDS } from './fields.ts'

// The changes of an animal, in the words of its form.

export interface Told {
  label: string
  from: string
  to: string
  /** Whether it says enough by itself. */
  isShort?: boolean
}

const MOST_CHARACTERS = 120
const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text

/** Each field that a change of the history changed. */
export function told(changes: PetHistory[number]['changes'], words: Texts['console']): Told[] {
  const { history, fields } = words.animal
  const sides = { from: {} as Record<string, unknown>, to: {} as Record<string, unknown> }
  for (const [member, { from, to }] of Object.entries(changes)) {
    if (from !== undefined) sides.from[member] = from
    if (to !== undefined) sides.to[member] = to
  }
  const [from, to] = [valuesOf(sides.from, FORM_FIELDS), valuesOf(sides.to, FORM_FIELDS)]
  const all = FORM_FIELDS.map(({ name }) => ({ name, from: from[name] ?? '', to: to[name] ?? '' }))
  const changed = all.filter((one) => one.from !== one.to)
  const named = changed.map((one) => ({
    label: fields.labels[one.name] ?? one.name,
    from: shortened(one.from),
    to: shortened(one.to),
  }))
  const { status, photos } = changes
  const statusOf = (value: unknown): string => words.animals.statuses[String(value ?? 'unlisted')] ?? ''
  const photosOf = (value: unknown): string => history.count(Array.isArray(value) ? value.length : 0)
  const short = (label: string, from: string, to: string): Told => ({ label, from, to, isShort: true })
  return [
    ...(status ? [short(fields.labels.status ?? '', statusOf(status.from), statusOf(status.to))] : []),
    ...(photos ? [short(history.photos, photosOf(photos.from), photosOf(photos.to))] : []),
    ...named,
  ]
}
