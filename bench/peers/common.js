import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'

// What the peers share: the animals that are there at the start, and the key.

export const KEY = process.env.BENCH_KEY
export const FILE = process.env.BENCH_FILE
export const NEVER_REACHED = 1_000_000_000
export const MINUTE_MS = 60_000

/** Where the animals are that have more than a name, a category and a status: their other members are one JSON text. */
const ANIMALS = process.env.BENCH_ANIMALS
export const RICH = Boolean(ANIMALS)

/** The same thousand as in adoptable. */
export function animals() {
  if (RICH)
    return readFileSync(ANIMALS, 'utf8')
      .split('\n')
      .map((line) => toRow(JSON.parse(line)))
  const statuses = [null, 'available', 'pending', 'sold']
  return Array.from({ length: 1_000 }, (_, count) => {
    const index = count % 50
    return { name: `Animal ${count}`, categoryId: 1 + (index % 8), status: statuses[index % 4] }
  })
}

/** As a key is kept: by its digest. */
export function digest(key) {
  return createHash('sha256').update(key).digest('hex')
}

/** The token of a header such as "Bearer abc", or nothing. */
export function tokenOf(authorization) {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
}

export const TABLES = `
  create table category (id integer primary key autoincrement, name text not null unique);
  create table pet (
    id integer primary key autoincrement,
    name text not null,
    categoryId integer not null references category (id),
    status text,
    profile text
  );
  create index pet_by_status on pet (status, id);
  create table api_key (digest text primary key);
`

/** Makes every write wait for the disk, as adoptable does. */
export const DURABLE = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on']

export function openDatabase() {
  const database = new Database(FILE)
  for (const pragma of DURABLE) database.pragma(pragma)
  database.exec(TABLES)
  fill((sql, values) => database.prepare(sql).run(values))
  return database
}

/** Puts in what is there at the start; `run` carries out one statement. */
export function fill(run) {
  run('begin', [])
  for (let count = 1; count <= 8; count += 1) run('insert into category (name) values (?)', [`Kind ${count}`])
  for (const { name, categoryId, status, profile = null } of animals()) {
    const values = [name, categoryId, status ?? null, profile]
    run('insert into pet (name, categoryId, status, profile) values (?, ?, ?, ?)', values)
  }
  run('insert into api_key (digest) values (?)', [digest(KEY)])
  run('commit', [])
}

/** The statements of the peers that write their SQL by hand. */
export function statementsOf(database) {
  const columns = `select id, name, categoryId, status${RICH ? ', profile' : ''} from pet`
  return {
    knows: database.prepare('select 1 from api_key where digest = ?'),
    list: database.prepare(`${columns} order by id desc limit ?`),
    listOfStatus: database.prepare(`${columns} where status = ? order by id desc limit ?`),
    insert: database.prepare('insert into pet (name, categoryId, status, profile) values (?, ?, ?, ?)'),
  }
}

function toRow({ name, categoryId, status = null, ...members }) {
  return { name, categoryId, status, profile: RICH ? JSON.stringify(members) : null }
}

/** @returns the animal as it is now */
export function insertPet({ insert }, pet) {
  const { name, categoryId, status, profile } = toRow(pet)
  return { id: insert.run(name, categoryId, status, profile).lastInsertRowid, ...pet }
}

/** An animal without a status has no such member. */
export function toPet({ status, profile, ...pet }) {
  return { ...pet, ...(status !== null && { status }), ...(profile && JSON.parse(profile)) }
}

export function tellPort(server) {
  process.send(server.address().port)
  process.on('disconnect', () => process.exit())
}
