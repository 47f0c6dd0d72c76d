import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileOf, isPostgres } from '../db/store-url.ts'
import { queryDatabase } from './postgres.ts'

/** Reads all bytes in the files of a store. On PostgreSQL, reads tables and indexes, but not the WAL. */
export async function storedBytes(databaseUrl: string): Promise<string> {
  if (isPostgres(databaseUrl)) return bytesOfRelations(databaseUrl)
  const file = fileOf(databaseUrl)
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)))
  return names.map((name) => readFileSync(join(dirname(file), name), 'latin1')).join('\n')
}

async function bytesOfRelations(databaseUrl: string): Promise<string> {
  await queryDatabase(databaseUrl, 'checkpoint')
  const rows = await queryDatabase<{ bytes: Buffer }>(
    databaseUrl,
    `select pg_read_binary_file(pg_relation_filepath(oid)) as bytes from pg_class
      where relkind in ('r', 't', 'i') and relfilenode <> 0`,
  )
  return rows.map(({ bytes }) => bytes.toString('latin1')).join('\n')
}
