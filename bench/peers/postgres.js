import pg from 'pg'
import { firstRows, STORE, tables, toPet } from './common.js'

// Animals in PostgreSQL, with prepared statements and as many connections as adoptable has. Each write is
// synced to disk before its answer.

const CONNECTIONS = 10
const PETS = 'select id, name, category_id, status from pet'

export async function openStore() {
  const pool = new pg.Pool({ connectionString: STORE, max: CONNECTIONS })
  await pool.query(tables('integer generated always as identity primary key'))
  for (const [table, rows] of Object.entries(firstRows())) {
    const places = rows[0].map((_, index) => `$${index + 1}`)
    for (const row of rows) await pool.query(`insert into ${table} values (${places})`, row)
  }
  const ask = async (name, text, values) => (await pool.query({ name, text, values })).rows
  return {
    knows: async (key) => (await ask('knows', 'select 1 from api_key where digest = $1', [key])).length > 0,
    async list(limit, status) {
      const rows = status
        ? await ask('of status', `${PETS} where status = $1 order by id desc limit $2`, [status, limit])
        : await ask('list', `${PETS} order by id desc limit $1`, [limit])
      return rows.map(toPet)
    },
    async add(pet) {
      const values = [pet.name, pet.categoryId, pet.status ?? null]
      const insert = 'insert into pet (name, category_id, status) values ($1, $2, $3) returning id'
      const [{ id }] = await ask('add', insert, values)
      return { id, ...pet }
    },
  }
}
