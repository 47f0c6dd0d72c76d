import pg from 'pg'

let count = 0

/** Creates a database on a PostgreSQL server and drops it after the work. */
export async function withOwnDatabase<Result>(
  serverUrl: string,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  count += 1
  const name = `adoptable_bench_${process.pid}_${count}`
  await runOnServer(serverUrl, `create database ${name}`)
  try {
    return await work(Object.assign(new URL(serverUrl), { pathname: name }).href)
  } finally {
    await runOnServer(serverUrl, `drop database ${name} with (force)`)
  }
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
