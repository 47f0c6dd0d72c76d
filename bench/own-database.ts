import pg from 'pg'

const NAME = `adoptable_bench_${process.pid}`

/** A database of this process' own on a PostgreSQL, gone behind the work. */
export async function withOwnDatabase<Result>(
  serverUrl: string,
  work: (databaseUrl: string) => Promise<Result>,
): Promise<Result> {
  await runOnServer(serverUrl, `create database ${NAME}`)
  try {
    return await work(Object.assign(new URL(serverUrl), { pathname: NAME }).href)
  } finally {
    await runOnServer(serverUrl, `drop database ${NAME} with (force)`)
  }
}

async function runOnServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
