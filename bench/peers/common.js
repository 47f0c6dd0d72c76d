import { createHash } from 'node:crypto'

// What the peers share: the animals that are there at the start, and the key.

/** A file of SQLite, or the address of an empty database of PostgreSQL. */
export const STORE = process.env.BENCH_STORE
const KEY = process.env.BENCH_KEY
export const NEVER_REACHED = 1_000_000_000

/** As a key is kept: by its digest. */
export function digest(key) {
  return createHash('sha256').update(key).digest('hex')
}

/** The token of a header such as "Bearer abc", or nothing. */
export function tokenOf(authorization) {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
}

/** @param id the type of ids that count up by themselves */
export const tables = (id) => `
  create table category (id ${id}, name text not null unique);
  create table pet (
    id ${id},
    name text not null,
    category_id integer not null references category (id),
    status text
  );
  create index pet_by_status on pet (status, id);
  create table api_key (digest text primary key);
`

/** The rows that are there at the start, by table: the same thousand animals as in adoptable. */
export function firstRows() {
  const statuses = [null, 'available', 'pending', 'sold']
  const animals = Array.from({ length: 1_000 }, (_, count) => {
    const index = count % 50
    return [`Animal ${count}`, 1 + (index % 8), statuses[index % 4]]
  })
  return {
    'category (name)': Array.from({ length: 8 }, (_, index) => [`Kind ${index}`]),
    'pet (name, category_id, status)': animals,
    'api_key (digest)': [[digest(KEY)]],
  }
}

/** An animal without a status has no such member. */
export function toPet({ status, category_id: categoryId, ...pet }) {
  return { ...pet, categoryId, ...(status !== null && { status }) }
}

export function tellPort(server) {
  process.send(server.address().port)
  process.on('disconnect', () => process.exit())
}
