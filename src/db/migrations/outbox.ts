import type { Kysely } from 'kysely'
import { run, type TableSyntax } from './tables.ts'

/** Adds the e-mails that are still to be sent, and what is needed to know whether to send any. */
export async function addOutbox(db: Kysely<unknown>, { id, integer, options }: TableSyntax): Promise<void> {
  await run(db, [
    'alter table installation add column sends_email integer not null default 0',
    'alter table application add column language text',
    `create table outbox (
      ${id},
      application_id ${integer} not null references application (id) on delete cascade,
      kind text not null check (kind in ('receipt', 'decision', 'reply', 'notice')),
      link text,
      version ${integer} not null default 1,
      attempts ${integer} not null default 0,
      created_at ${integer} not null,
      due_at ${integer},
      unique (application_id, kind)
    ) ${options.rows}`,
    'create index outbox_by_due on outbox (due_at, id) where due_at is not null',
  ])
}
