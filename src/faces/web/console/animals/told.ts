import type { PetHistory } from '../../../../pets/schema.ts'
import type { Texts } from '../../texts/texts.ts'
import { valuesOf } from '../forms/values.ts'
import { saidOf } from './choices.ts'
import { FORM_FIELDS } from './fields.ts'
import { photosTold } from './photos-told.ts'

// The changes of an animal, in the words of its form.

export interface Told {
  /** Of a field; or all that there is to say. */
  label: string
  from?: string
  to?: string
  /** Whether it says enough by itself. */
  isShort?: boolean
}

const MOST_CHARACTERS = 120
const shortened = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text

/** Each field that a change of the history changed. */
export function told(
  changes: PetHistory[number]['changes'],
  texts: Pick<Texts, 'common' | 'console'>,
): Told[] {
  const { animal, animals } = texts.console
  const { labels } = animal.fields
  const sides = { from: {} as Record<string, unknown>, to: {} as Record<string, unknown> }
  for (const [member, { from, to }] of Object.entries(changes)) {
    if (from !== undefined) sides.from[member] = from
    if (to !== undefined) sides.to[member] = to
  }
  const [from, to] = [valuesOf(sides.from, FORM_FIELDS), valuesOf(sides.to, FORM_FIELDS)]
  const changed = FORM_FIELDS.filter(({ name }) => (from[name] ?? '') !== (to[name] ?? ''))
  const named = changed.map((field) => ({
    label: labels[field.name] ?? field.name,
    from: shortened(saidOf(field, from[field.name] ?? '', texts)),
    to: shortened(saidOf(field, to[field.name] ?? '', texts)),
  }))
  const { status, photos } = changes
  const statusOf = (value: unknown): string => animals.statuses[String(value ?? 'unlisted')] ?? ''
  const photosSaid = photos && photosTold(photos, animal.history.photos).join(' ')
  const short = (label: string, from: string, to: string): Told => ({ label, from, to, isShort: true })
  return [
    ...(status ? [short(labels.status ?? '', statusOf(status.from), statusOf(status.to))] : []),
    ...(photosSaid ? [{ label: photosSaid }] : []),
    ...named,
  ]
}
