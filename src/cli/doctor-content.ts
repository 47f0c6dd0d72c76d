import { existsSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { JOBS, jobFindings, type SeenJob } from './doctor-jobs.ts'
import { schemaFinding } from './doctor-schema.ts'
import { searchFindings } from './doctor-search.ts'
import { type Finding, good, wrong } from './finding.ts'

/** What is in the embedded store. */
export async function checkContent(file: string): Promise<Finding[]> {
  try {
    const database = openUntouched(file)
    try {
      return [
        ...[checkIntegrity(database), checkSchema(database), checkClock(database)],
        ...checkJobs(database),
        ...(await checkSearch(database)),
      ]
    } finally {
      database.close()
    }
  } catch (error) {
    return [
      wrong('store', `${file}: ${(error as Error).message}`, 'restore a backup, or correct DATABASE_URL'),
    ]
  }
}

/**
 * Without a log beside the file nobody has it open, and it is read as it lies there: even to read, SQLite
 * would else make a log.
 */
function openUntouched(file: string): DatabaseSync {
  const url = pathToFileURL(file)
  if (!existsSync(`${file}-wal`)) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true, timeout: 5_000 })
}

function checkIntegrity(database: DatabaseSync): Finding {
  const found = String(database.prepare('pragma integrity_check(1)').get()?.integrity_check)
  if (found === 'ok') return good('store', `${database.location()} is whole`)
  return wrong(
    'store',
    `it is damaged: ${found.replace(/\s+/g, ' ')}`,
    'stop the service and restore a backup',
  )
}

function checkSchema(database: DatabaseSync): Finding {
  const seen = database.prepare('select name from kysely_migration order by name').all()
  return schemaFinding(
    'sqlite',
    seen.map(({ name }) => String(name)),
  )
}

/** A store of an older release has no such table. */
function checkJobs(database: DatabaseSync): Finding[] {
  return hasTable(database, 'job') ? jobFindings(database.prepare(JOBS).all() as unknown as SeenJob[]) : []
}

const hasTable = (database: DatabaseSync, name: string): boolean =>
  database.prepare('select name from sqlite_schema where name = ?').get(name) !== undefined

async function checkSearch(database: DatabaseSync): Promise<Finding[]> {
  if (!hasTable(database, 'pet_search')) return []
  return searchFindings(async (question) => {
    const asked = database.prepare(question)
    asked.setReturnArrays(true)
    return asked.all() as never
  })
}

/** Nothing can have been made later than now. */
function checkClock(database: DatabaseSync): Finding {
  const latest = Number(database.prepare('select max(created_at) as latest from api_key').get()?.latest ?? 0)
  if (Date.now() >= latest) return good('clock', new Date().toISOString())
  const found = `it shows ${new Date().toISOString()}, and a key was made at ${new Date(latest).toISOString()}`
  return wrong('clock', found, 'set it, best by NTP (timedatectl set-ntp true)')
}
