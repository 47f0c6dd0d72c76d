import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Db, Tables } from '../db/tables.ts'
import { type Job, runInSteps } from './job.ts'

/** Rows that are removed at some age: their table, its key, and the column with their time. */
type Expiring = {
  [Table in keyof Tables]: { table: Table; key: keyof Tables[Table]; time: keyof Tables[Table] }
}[keyof Tables]

/** Maximum number of rows per transaction. Limits how long other changes wait for the transaction. */
const BATCH_SIZE = 5_000

type TimeOf = (context: Context) => number

/** Creates a job that removes rows. @param until returns the latest time of the rows to remove */
export const expiryJob = (rows: Expiring, until: TimeOf = ({ clock }) => clock()): Job => ({
  async isDue(context) {
    const { rows: expired } = await sql`
      select 1 from ${sql.table(rows.table)} where ${sql.ref(rows.time)} <= ${until(context)} limit 1
    `.execute(context.db)
    return expired.length > 0
  },
  run: (context, mayContinue) =>
    runInSteps(() => context.write(changes.removeExpired, rows, until(context)), mayContinue),
})

/** Removes a batch of expired rows. @returns whether more of them may remain */
export async function removeExpired(db: Db, rows: Expiring, until: number): Promise<boolean> {
  const [table, key, time] = [sql.table(rows.table), sql.ref(rows.key), sql.ref(rows.time)]
  // Checks the time again, because a request may have renewed a row while this statement waited for the row.
  const { numAffectedRows } = await sql`
    delete from ${table} where ${time} <= ${until} and ${key} in (
      select ${key} from ${table} where ${time} <= ${until} order by ${time} limit ${BATCH_SIZE}
    )
  `.execute(db)
  return numAffectedRows === BigInt(BATCH_SIZE)
}
