import { createHash } from 'node:crypto'

// Shared by the peers: the first animals and the key.

/** An SQLite file, or the URL of an empty PostgreSQL database. */
export const STORE = process.env.BENCH_STORE
const KEY = process.env.BENCH_KEY
export const NEVER_REACHED = 1_000_000_000

/** The stored form of a key. */
export function digest(key) {
  return createHash('sha256').update(key).digest('hex')
}

/** The token of a header such as "Bearer abc", or undefined. */
export function tokenOf(authorization) {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
}

/** @param id SQL type of automatic ids */
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

/** Initial rows by table: the same thousand animals as in adoptable. */
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

/** An animal without a status has no `status` member. */
export function toPet({ status, category_id: categoryId, ...pet }) {
  return { ...pet, categoryId, ...(status !== null && { status }) }
}

export function reportPort(server) {
  process.send(server.address().port)
  process.on('disconnect', () => process.exit())
}
