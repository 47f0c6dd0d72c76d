import Database from 'better-sqlite3'
import { firstRows, STORE, tables, toPet } from './common.js'

// Animals in an SQLite file, with prepared statements. As in adoptable, each write is synced before its
// answer.

const DURABLE = ['journal_mode = wal', 'synchronous = full', 'foreign_keys = on']
const PETS = 'select id, name, category_id, status from pet'

export function openStore() {
  const database = new Database(STORE)
  for (const pragma of DURABLE) database.pragma(pragma)
  database.exec(tables('integer primary key autoincrement'))
  database.exec('begin')
  for (const [table, rows] of Object.entries(firstRows())) {
    const insert = database.prepare(`insert into ${table} values (${rows[0].map(() => '?')})`)
    for (const row of rows) insert.run(row)
  }
  database.exec('commit')

  const knows = database.prepare('select 1 from api_key where digest = ?')
  const list = database.prepare(`${PETS} order by id desc limit ?`)
  const listOfStatus = database.prepare(`${PETS} where status = ? order by id desc limit ?`)
  const insert = database.prepare('insert into pet (name, category_id, status) values (?, ?, ?)')
  return {
    knows: (key) => knows.get(key) !== undefined,
    list: (limit, status) => (status ? listOfStatus.all(status, limit) : list.all(limit)).map(toPet),
    add: (pet) => {
      const { lastInsertRowid: id } = insert.run(pet.name, pet.categoryId, pet.status ?? null)
      return { id, ...pet }
    },
  }
}
