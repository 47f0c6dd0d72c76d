import { realpathSync, statSync } from 'node:fs'
import { ApiError } from '../errors.ts'
import { createEmpty, refuseHardLinks } from './sqlite.ts'

/**
 * The file that a name leads to, made where there is none: SQLite keeps its log, and we our lock, beside the
 * file itself, whatever symbolic link somebody named.
 *
 * @throws when it has other names that nobody can follow back
 */
export function realFile(named: string): string {
  createEmpty(named)
  const file = realpathSync(named)
  refuseHardLinks(file)
  return file
}

/** A file as it was when it was opened. Can be sent to another thread. */
export interface ServedFile {
  file: string
  /** What its names led to then; absent of what was not there. */
  ids: Record<string, string | undefined>
}

/** The file, and the log in which its last changes are. */
const ENDS = ['', '-wal']

export function servedFile(file: string): ServedFile {
  return { file, ids: Object.fromEntries(ENDS.map((end) => [file + end, idOf(file + end)])) }
}

function idOf(name: string): string | undefined {
  const found = statSync(name, { bigint: true, throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}

/** @returns why nothing may be written to it any more; undefined while all is where it was */
export function lossOf({ ids }: ServedFile): string | undefined {
  for (const [name, id] of Object.entries(ids)) {
    if (id === undefined) continue
    const now = idOf(name)
    if (now === undefined) return `${name} is gone: put it back, or stop the service and restore a backup`
    if (now !== id) return `${name} is another file than before: restart the service to serve that one`
  }
}

const LOOK_MS = 250

export interface FileWatch {
  /** @throws {ApiError} service_unavailable while the file is not where it was */
  requireThere(): void
  close(): void
}

/**
 * Looks several times a second whether a file is where it was: SQLite would go on with one that has no name
 * any more.
 *
 * @param onChange hears of a loss, and with undefined of its end
 */
export function watchFile(served: ServedFile, onChange: (loss: string | undefined) => void): FileWatch {
  let loss: string | undefined
  const timer = setInterval(() => {
    const now = lossOrError(served)
    if (now !== loss) onChange(now)
    loss = now
  }, LOOK_MS).unref()
  return {
    requireThere() {
      if (loss !== undefined) throw lost(loss)
    },
    close: () => clearInterval(timer),
  }
}

/** What cannot be looked at is lost as well. */
function lossOrError(served: ServedFile): string | undefined {
  try {
    return lossOf(served)
  } catch (error) {
    return (error as Error).message
  }
}

/** @throws {ApiError} service_unavailable when the file is not where it was now */
export function requireThere(served: ServedFile): void {
  const loss = lossOrError(served)
  if (loss !== undefined) throw lost(loss)
}

function lost(loss: string): ApiError {
  return new ApiError('service_unavailable', { cause: new Error(loss) })
}
