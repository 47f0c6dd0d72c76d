import { type Kysely, sql } from 'kysely'

/** What is made of which tables, and kept ready. */
const MADE_OF = { pages: ['pet', 'category'], keys: ['api_key', 'api_key_secret'] }
const EVENTS = ['insert', 'update', 'delete']

const STATEMENTS = [
  // Counters are saved many times a second, and change nothing that is kept ready: it outlives them.
  'create table revision (pages integer not null, keys integer not null) strict',
  'insert into revision (pages, keys) values (0, 0)',
  ...Object.entries(MADE_OF).flatMap(([part, tables]) =>
    tables.flatMap((table) =>
      EVENTS.map(
        (event) => `create trigger ${table}_${event}_is_counted after ${event} on ${table}
          begin update revision set ${part} = ${part} + 1; end`,
      ),
    ),
  ),
]

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db)
}
