import { accessSync, constants, existsSync, lstatSync, type Stats, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileOf } from '../db/store-url.ts'
import { checkContent } from './doctor-content.ts'
import { doubtful, type Finding, good, wrong } from './finding.ts'
import { whole } from './terminal.ts'

const MEGABYTE = 2 ** 20

/** Below the first the next write may fail, below the second a backup or a busy day. */
const [MIN_FREE, ENOUGH_FREE] = [100 * MEGABYTE, 1_024 * MEGABYTE]

/** The bits of a folder in which several users are meant to write: sticky, and set group. */
const SHARED_BY_DESIGN = 0o3000

/** The embedded store, without writing to it or to the folder. */
export async function checkStoreFile(databaseUrl: string): Promise<Finding[]> {
  const file = resolve(fileOf(databaseUrl))
  let stats: Stats | undefined
  try {
    // Not existsSync, to which what this user may not look at is not there.
    stats = statSync(file, { throwIfNoEntry: false })
  } catch (error) {
    const found = `${file} cannot be looked at (${(error as NodeJS.ErrnoException).code})`
    const advice = 'run this as the user of the service, who has to be let into every folder above that'
    return [wrong('store', found, advice)]
  }
  if (!stats) return checkPlace(dirname(file), file)
  if (stats.isDirectory()) {
    return [wrong('store', `${file} is a folder; DATABASE_URL must name a file`, `name one in ${OWN_FOLDER}`)]
  }
  return [...checkRights(file, stats), ...(await checkContent(file)), checkSpace(dirname(file), stats.size)]
}

const OWN_FOLDER = 'a folder that only the user of the service can change'

/** Whether the first start can make the store there. */
function checkPlace(wanted: string, file: string): Finding[] {
  const folder = nearest(wanted)
  if (!existsSync(folder)) {
    const advice = 'mount what it leads to, or correct it'
    return [wrong('store', `${folder} is a link to a place that is not there`, advice)]
  }
  if (!statSync(folder).isDirectory() || !may(folder, constants.W_OK | constants.X_OK)) {
    const advice = `name a file in DATABASE_URL that is in ${OWN_FOLDER}`
    return [wrong('store', `nothing can be made in ${folder}`, advice)]
  }
  return [good('store', `${file} is made by the first start`), checkSpace(folder, 0)]
}

function checkRights(file: string, { uid, mode }: Stats): Finding[] {
  const folder = dirname(file)
  const around = statSync(folder)
  // What others share, such as /tmp, must not be taken from them.
  const shared = around.uid !== uid || (around.mode & SHARED_BY_DESIGN) !== 0
  const move = `move the store into ${OWN_FOLDER}, and name that place in DATABASE_URL`
  const own = (path: string) => `chown ${path} to the user that runs the service, and run this as that user`
  const findings: Finding[] = []
  if (!may(file, constants.R_OK | constants.W_OK)) {
    findings.push(wrong('rights', `${file} cannot be written`, own(file)))
  }
  if (!may(folder, constants.R_OK | constants.W_OK)) {
    findings.push(wrong('rights', `${folder} cannot be written`, shared ? move : own(folder)))
  }
  if ((mode & 0o077) !== 0) {
    findings.push(wrong('rights', `${file} can be read by other users`, `chmod 600 ${file}`))
  }
  if ((around.mode & 0o022) !== 0) {
    const advice = shared ? move : `chmod 700 ${folder}`
    findings.push(wrong('rights', `${folder} can be changed by other users`, advice))
  }
  return findings.length > 0 ? findings : [good('rights', `${file} is its user's alone`)]
}

function checkSpace(folder: string, needed: number): Finding {
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const found = `${whole(Math.floor(free / MEGABYTE))} MB are free in ${folder}`
  const advice = 'make room, or move the store to a larger disk'
  if (free < MIN_FREE) return wrong('disk', found, advice)
  return free < ENOUGH_FREE + needed ? doubtful('disk', found, advice) : good('disk', found)
}

/** Also a link that leads nowhere is in the way. */
function nearest(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false }) ? folder : nearest(dirname(folder))
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    return false
  }
}
