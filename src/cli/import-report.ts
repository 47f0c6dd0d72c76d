import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import type { PhotoCounts, Refusal } from '../transfer/report.ts'
import {
  BIRTH_COUNTS,
  countLines,
  DAY_FIRST,
  KEPT_BACK,
  LABEL_REASON,
  NEXT_PAGE_MEMBERS,
  type Note,
  type SameChip,
  type Summary,
  TAKEN_NUMBER,
  type UnreadValue,
  VISITORS,
} from '../transfer/report.ts'
import type { StatusCount } from '../transfer/statuses.ts'
import { formatBar, formatCount, type Output, openStatusLine } from './terminal.ts'

/** Prints up to this many refused lines, because a file may have millions. */
const MAX_SHOWN = 100

export interface Rejects {
  add(refusal: Refusal): void
  /** Prints how many lines were not shown. Removes an empty file, as an existing one stops the next run. */
  close(): void
}

/**
 * Prints the first refused lines, and writes all of them to a file as NDJSON if one is given. The output
 * omits values, because they may be personal data.
 * @throws if the file exists
 */
export function openRejects(terminal: Output, file: string | undefined): Rejects {
  if (file !== undefined && existsSync(file)) throw new Error(`${file} already exists and is not overwritten`)
  const descriptor = file === undefined ? undefined : openSync(file, 'wx', 0o600)
  let count = 0
  return {
    add(refusal) {
      const { line, id, reason } = refusal
      count += 1
      if (descriptor !== undefined) writeSync(descriptor, `${JSON.stringify({ line, id, reason })}\n`)
      if (count <= MAX_SHOWN) terminal.write(`${formatRefusal(refusal)}\n`)
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
      if (file !== undefined && count === 0) rmSync(file)
      const more = count - MAX_SHOWN
      if (more > 0) terminal.write(`and ${formatCount(more)} more lines; use --rejects FILE to see all\n`)
    },
  }
}

/** Removes control characters, because text from a file could contain terminal commands. */
function formatRefusal({ line, id, reason }: Refusal): string {
  return `line ${line}${id === undefined ? '' : ` (${id})`}: ${reason}`.replaceAll(/\p{Cc}/gu, '?')
}

export interface Progress {
  show(done: Summary, bytes: number): void
  clear(): void
}

export function openProgress(terminal: Output, size: number | undefined): Progress {
  const line = openStatusLine(terminal)
  const startedAt = performance.now()
  return {
    show(done, bytes) {
      const seconds = (performance.now() - startedAt) / 1_000
      line.draw(() =>
        done.photos
          ? formatPhotos(done.photos)
          : formatProgress(countLines(done), seconds, size && bytes / size),
      )
    },
    clear: line.clear,
  }
}

/** @param share the fraction of the file that was read; undefined if the size of the file is unknown */
export function formatProgress(lines: number, seconds: number, share: number | undefined): string {
  const rate = `${formatCount(lines)} lines, ${formatCount(Math.round(lines / Math.max(seconds, 0.001)))}/s`
  if (!share) return rate
  return `${formatBar(share)} ${Math.floor(share * 100)}% ${rate}, ${Math.ceil((seconds * (1 - share)) / share)} s left`
}

export function formatSummary(done: Summary, seconds: number, dryRun: boolean): string {
  const { added, updated, unchanged, refused, takenOff, withdrawn = {} } = done
  const figures = `added ${formatCount(added)}, updated ${formatCount(updated)}, unchanged ${formatCount(unchanged)}, refused ${formatCount(refused)}`
  const lines = countLines(done)
  const rate = `${formatCount(lines)} lines in ${seconds.toFixed(1)} s, ${formatCount(Math.round(lines / Math.max(seconds, 0.001)))}/s`
  const back = Object.entries(withdrawn).map(([path, count]) => `${path} (${formatCount(count)})`)
  const taken = back.length > 0 ? `; removed answers: ${back.join(', ')}` : ''
  const off = takenOff ? `; no longer published: ${formatCount(takenOff)}` : ''
  const photos = done.photos ? `; ${formatPhotos(done.photos)}` : ''
  return `${dryRun ? 'dry run, nothing was written: ' : ''}${figures} (${rate})${off}${taken}${photos}`
}

export function formatPhotos({ added, there, failed, noRoom }: PhotoCounts): string {
  const figures = `added ${formatCount(added)}, already present ${formatCount(there)}, failed ${formatCount(failed)}`
  return `photos: ${figures}${noRoom > 0 ? `, over the limit ${formatCount(noRoom)}` : ''}`
}

/** Reports what was not imported and what to do; undefined if everything was imported. */
export function formatMissing(done: Summary): string | undefined {
  const { refused, photos, lostBonds = 0 } = done
  const lines = [
    refused > 0 && `${formatCount(refused)} of ${formatCount(countLines(done))} lines were refused`,
    lostBonds > 0 &&
      `not published, because a bonded partner is missing or on hold: ${formatCount(lostBonds)}`,
  ].filter((line) => line !== false)
  if (!photos || photos.failed === 0) return lines.length > 0 ? lines.join('; ') : undefined
  const advice = 'Run the same command again to retry them'
  return [...lines, `${formatCount(photos.failed)} photos could not be downloaded`, advice, '']
    .join('. ')
    .trim()
}

/** Says how the file was read where this was not certain, and what was not imported. */
export function formatDetails(done: Summary): string {
  const notes = (done.notes ?? []).map((note) => NOTES[note.code](note).replaceAll(/\p{Cc}/gu, '?'))
  const texts = [...notes, formatStatuses(done.statuses), formatLeftOut(done)]
  return texts.flatMap((text) => (text === undefined ? [] : `${text}\n`)).join('')
}

const NOTES: Record<Note['code'], (note: Note) => string> = {
  encoding: ({ value, example }) =>
    `encoding: ${value}${example ? `, so a word reads "${example}"` : ''}; --encoding chooses another one`,
  guessed_columns: ({ columns = [] }) => `columns: ${columns.join(', ')}`,
  day_first: ({ columns = [] }) => `dates: the day comes first in ${columns.join(', ')}`,
  month_first: ({ columns = [] }) => `dates: the month comes first in ${columns.join(', ')}`,
  mojibake: ({ count = 0, lines = [], example }) =>
    `characters were damaged before the import, and are imported as they are: "${example}" on ${count === 1 ? 'line' : `${formatCount(count)} lines:`} ${formatLines(lines, count)}`,
  repaired_postcode: ({ count = 0, lines = [] }) =>
    `postal codes: lost zeros were restored on ${count === 1 ? 'line' : `${formatCount(count)} lines:`} ${formatLines(lines, count)}`,
  no_animal: ({ count = 0, lines = [] }) =>
    `not animals: ${count === 1 ? 'line' : `${formatCount(count)} lines:`} ${formatLines(lines, count)}`,
  repeated_id: ({ count = 0, lines = [] }) =>
    `an id has several lines; only the newest was imported, not ${count === 1 ? 'line' : 'lines'} ${formatLines(lines, count)}`,
  same_chip: ({ count = 0, sameChips = [] }) =>
    `the same microchip: ${sameChips.map(formatSameChip).join(', ')}${count > sameChips.length ? ' and more' : ''}`,
}

const formatSameChip = ({ line, animal, otherLine }: SameChip): string =>
  `line ${line} and ${animal === undefined ? `line ${otherLine}` : `animal ${animal}`}`

function formatLines(lines: number[], count: number): string {
  return lines.join(', ') + (count > lines.length ? ' and more' : '')
}

/** Prints up to this many names. `--json` prints all names. */
const MAX_LEFT_OUT = 40

/** The texts for the names in `leftOut` that are not columns of the file. */
const OWN_LINES = {
  [TAKEN_NUMBER]: 'not imported, because another animal has the number: externalId',
  [KEPT_BACK]: 'not published, because staff have put the animal on hold or recorded its outcome',
  [VISITORS]: `skipped: ${VISITORS}`,
}

/** Lists the values that the import left out; undefined if it left out none. */
export function formatLeftOut({
  leftOut,
  notUnderstood = [],
}: Pick<Summary, 'leftOut' | 'notUnderstood'>): string | undefined {
  const names = Object.keys(leftOut)
  const isPage = (name: string) => NEXT_PAGE_MEMBERS.includes(name)
  const isOdd = (name: string) => LABEL_REASON.test(name)
  const odd = formatCounts(leftOut, names.filter(isOdd), notUnderstood)
  const advice = names.some((name) => name.endsWith(DAY_FIRST)) ? '; --day-first reads 25/12/2021' : ''
  const placeless = formatCounts(
    leftOut,
    names.filter(
      (name) =>
        !isOdd(name) && !isPage(name) && !name.endsWith(BIRTH_COUNTS) && !Object.hasOwn(OWN_LINES, name),
    ),
  )
  const unused = names.flatMap((name) =>
    name.endsWith(BIRTH_COUNTS) ? `${name.slice(0, -BIRTH_COUNTS.length)} (${leftOut[name]})` : [],
  )
  const lines = [
    placeless && `not imported (no such field): ${placeless}`,
    ...Object.entries(OWN_LINES).map(
      ([name, text]) => leftOut[name] && `${text} (${formatCount(leftOut[name])})`,
    ),
    unused.length > 0 && `not used, because the date of birth counts: ${unused.join(', ')}`,
    odd && `not understood: ${odd}${advice}`,
    names.some(isPage) && 'the file is one page of several: import the other pages too',
  ].filter((line) => line)
  return lines.length > 0
    ? lines.map((line) => String(line).replaceAll(/\p{Cc}/gu, '?')).join('\n')
    : undefined
}

/** Lists the statuses, with unpublished animals first. @returns undefined if the file has no statuses */
function formatStatuses(statuses: readonly StatusCount[] = []): string | undefined {
  const sorted = statuses.toSorted((one, other) => other.count - one.count)
  const without = sorted.find(({ word, known }) => word === '' && !known)
  const unknown = sorted.filter((one) => !one.known && one !== without)
  const understood = sorted.filter((one) => one.known)
  const isHeld = ({ result }: StatusCount): boolean => result === 'unlisted' || result === 'died'
  const heldFirst = [...understood.filter(isHeld), ...understood.filter((one) => !isHeld(one))]
  const lines = [
    unknown.length > 0 &&
      `statuses not understood, so these animals are not published: ${listStatuses(unknown)}; ` +
        `--status "${unknown[0]?.word}=unlisted" says what one means (unlisted, available, pending or sold)`,
    without !== undefined &&
      `animals without a status, which are not published: ${formatCount(without.count)}`,
    heldFirst.length > 0 && `statuses: ${listStatuses(heldFirst)}`,
  ].filter((line) => line !== false)
  return lines.length > 0 ? lines.join('\n').replaceAll(/[^\P{Cc}\n]/gu, '?') : undefined
}

function listStatuses(statuses: StatusCount[]): string {
  const texts = statuses.slice(0, MAX_LEFT_OUT).map(({ word, count, result, known }) => {
    const meaning = result === 'died' ? 'refused' : result
    return `${word === '' ? 'none' : `"${word}"`} (${formatCount(count)})${known ? ` is ${meaning}` : ''}`
  })
  return (
    texts.join(', ') + (texts.length < statuses.length ? `, and ${statuses.length - texts.length} more` : '')
  )
}

/** Lists the most frequent names first, each with an example of a value that could not be read. */
function formatCounts(counts: Record<string, number>, names: string[], unread: UnreadValue[] = []): string {
  const sorted = names.toSorted((one, other) => Number(counts[other]) - Number(counts[one]))
  const texts = sorted.slice(0, MAX_LEFT_OUT).map((name) => {
    const column = name.replace(LABEL_REASON, '')
    const first = unread.find((one) => one.column === column)
    const example = first ? ` "${first.value}" on line ${first.line}` : ''
    return `${column}${example} (${formatCount(Number(counts[name]))})`
  })
  return texts.join(', ') + (sorted.length > texts.length ? `, and ${sorted.length - texts.length} more` : '')
}
