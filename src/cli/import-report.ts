import { closeSync, existsSync, openSync, rmSync, writeSync } from 'node:fs'
import type { Refusal } from '../transfer/animal.ts'
import type { Fetched } from '../transfer/fetch-photos.ts'
import { DAY_FIRST, type NotUnderstood, PAGES, WHY } from '../transfer/left-out.ts'
import { linesIn, type Summary } from '../transfer/summary.ts'
import { bar, drawnLine, type Output, whole } from './terminal.ts'

/** So many refused lines are shown; a file may have millions of them. */
const MAX_SHOWN = 100

export interface Rejects {
  add(refusal: Refusal): void
  /** Tells how many were not shown, and leaves no empty file in the way of the next run. */
  close(): void
}

/**
 * Shows the first refused lines, and writes all of them to a file as NDJSON where one is named: without what
 * they hold, which may be about people.
 *
 * @throws when the file exists
 */
export function openRejects(terminal: Output, file: string | undefined): Rejects {
  if (file !== undefined && existsSync(file))
    throw new Error(`${file} exists already, and is not overwritten`)
  const descriptor = file === undefined ? undefined : openSync(file, 'wx', 0o600)
  let count = 0
  return {
    add(refusal) {
      const { line, id, reason } = refusal
      count += 1
      if (descriptor !== undefined) writeSync(descriptor, `${JSON.stringify({ line, id, reason })}\n`)
      if (count <= MAX_SHOWN) terminal.write(`${lineOf(refusal)}\n`)
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
      if (file !== undefined && count === 0) rmSync(file)
      const more = count - MAX_SHOWN
      if (more > 0) terminal.write(`and ${whole(more)} more lines; --rejects FILE writes all of them\n`)
    },
  }
}

/** What a file holds must not reach a terminal as a command. */
function lineOf({ line, id, reason }: Refusal): string {
  return `line ${line}${id === undefined ? '' : ` (${id})`}: ${reason}`.replaceAll(/\p{Cc}/gu, '?')
}

export interface Progress {
  show(done: Summary, bytes: number): void
  clear(): void
}

export function openProgress(terminal: Output, size: number | undefined): Progress {
  const line = drawnLine(terminal)
  const startedAt = performance.now()
  return {
    show(done, bytes) {
      const seconds = (performance.now() - startedAt) / 1_000
      line.draw(() =>
        done.photos ? photosText(done.photos) : progressLine(linesIn(done), seconds, size && bytes / size),
      )
    },
    clear: line.clear,
  }
}

/** @param share of the file that was read, where its size is known */
export function progressLine(lines: number, seconds: number, share: number | undefined): string {
  const rate = `${whole(lines)} lines, ${whole(Math.round(lines / Math.max(seconds, 0.001)))}/s`
  if (!share) return rate
  return `${bar(share)} ${Math.floor(share * 100)}% ${rate}, ${Math.ceil((seconds * (1 - share)) / share)} s left`
}

export function summaryText(done: Summary, seconds: number, dryRun: boolean): string {
  const { added, updated, unchanged, refused } = done
  const figures = `added ${whole(added)}, updated ${whole(updated)}, unchanged ${whole(unchanged)}, refused ${whole(refused)}`
  const lines = linesIn(done)
  const rate = `${whole(lines)} lines in ${seconds.toFixed(1)} s, ${whole(Math.round(lines / Math.max(seconds, 0.001)))}/s`
  const photos = done.photos ? `; ${photosText(done.photos)}` : ''
  return `${dryRun ? 'dry run, nothing was written: ' : ''}${figures} (${rate})${photos}`
}

export function photosText({ added, there, failed, noRoom }: Fetched): string {
  const figures = `added ${whole(added)}, there before ${whole(there)}, not fetched ${whole(failed)}`
  return `photos: ${figures}${noRoom > 0 ? `, no room for ${whole(noRoom)}` : ''}`
}

/** What did not go in, and what to do about it; undefined when all did. */
export function lackingText(done: Summary, hasIds: boolean): string | undefined {
  const { refused, photos } = done
  const lines = refused > 0 ? [`${whole(refused)} of ${whole(linesIn(done))} lines were refused`] : []
  if (!photos || photos.failed === 0) return lines[0]
  const advice = hasIds
    ? 'Run the same command again to fetch them'
    : 'Without ids (--update COLUMN) a second run does not find their animals: add them through the service'
  return [...lines, `${whole(photos.failed)} photos were not fetched`, advice, ''].join('. ').trim()
}

/** So many names are told; `--json` has all. */
const MAX_LEFT_OUT = 40

/** What did not come in of animals that did; undefined for nothing. */
export function leftOutText({
  leftOut,
  notUnderstood = [],
}: Pick<Summary, 'leftOut' | 'notUnderstood'>): string | undefined {
  const names = Object.keys(leftOut)
  const isPage = (name: string) => PAGES.includes(name)
  const isOdd = (name: string) => WHY.test(name)
  const odd = listText(leftOut, names.filter(isOdd), notUnderstood)
  const advice = names.some((name) => name.endsWith(DAY_FIRST)) ? '; --day-first reads 25/12/2021' : ''
  const placeless = listText(
    leftOut,
    names.filter((name) => !isOdd(name) && !isPage(name)),
  )
  const lines = [
    placeless && `no place here for: ${placeless}`,
    odd && `not understood: ${odd}${advice}`,
    names.some(isPage) && 'this is one page of several: import the others too',
  ].filter((line) => line)
  return lines.length > 0
    ? lines.map((line) => String(line).replaceAll(/\p{Cc}/gu, '?')).join('\n')
    : undefined
}

/** What was met most often first, each with the first one of `told`. */
function listText(counts: Record<string, number>, names: string[], told: NotUnderstood[] = []): string {
  const sorted = names.toSorted((one, other) => Number(counts[other]) - Number(counts[one]))
  const texts = sorted.slice(0, MAX_LEFT_OUT).map((name) => {
    const column = name.replace(WHY, '')
    const first = told.find((one) => one.column === column)
    const example = first ? ` "${first.value}" in line ${first.line}` : ''
    return `${column}${example} (${whole(Number(counts[name]))})`
  })
  return texts.join(', ') + (sorted.length > texts.length ? `, and ${sorted.length - texts.length} more` : '')
}
