import { type Selectable, sql } from 'kysely'
import type { Context } from '../context.ts'
import { sendsEmail } from '../db/installation.ts'
import type { Db, Tables } from '../db/tables.ts'

// E-mails about applications that are still to be sent. A change adds its e-mails in its own transaction,
// so a failed change sends no e-mail, and no e-mail is lost.

type Row = Selectable<Tables['outbox']>

interface NewEmails {
  kind: Row['kind']
  applicationIds: readonly number[]
  /** The private link of a receipt. */
  link?: string | undefined
  /** When the e-mails become due, in Unix milliseconds. */
  dueAt?: number
}

/**
 * Queues one e-mail for each application. An e-mail of the same kind that was not sent yet is sent only once,
 * with the latest texts. Does nothing if the service has no mail server. Applicants get e-mails only if they
 * used the form.
 */
export async function queueEmails(
  db: Db,
  { kind, applicationIds, link, dueAt }: NewEmails,
  now: number,
): Promise<void> {
  if (applicationIds.length === 0 || !(await sendsEmail(db))) return
  const due = dueAt ?? now
  let applications = db.selectFrom('application').where('id', 'in', applicationIds)
  if (kind !== 'notice') applications = applications.where('language', 'is not', null)
  await db
    .insertInto('outbox')
    .columns(['application_id', 'kind', 'link', 'created_at', 'due_at'])
    .expression(
      applications.select([
        'id',
        sql.val(kind).as('kind'),
        sql<string | null>`cast(${link ?? null} as text)`.as('link'),
        sql<number>`cast(${now} as bigint)`.as('created_at'),
        sql<number>`cast(${due} as bigint)`.as('due_at'),
      ]),
    )
    .onConflict((conflict) =>
      conflict.columns(['application_id', 'kind']).doUpdateSet((eb) => ({
        version: eb('outbox.version', '+', 1),
        attempts: 0,
        due_at: eb.ref('excluded.due_at'),
      })),
    )
    .execute()
}

/**
 * Queues e-mails about decisions. Such an e-mail also contains the reply, so the reply needs no e-mail of its
 * own.
 */
export async function queueDecisions(db: Db, applicationIds: readonly number[], now: number): Promise<void> {
  await queueEmails(db, { kind: 'decision', applicationIds }, now)
  await removeQueued(db, applicationIds, 'reply')
}

/** Queues a new reply, unless a queued e-mail about a decision will contain it. */
export async function queueReply(db: Db, applicationId: number, now: number): Promise<void> {
  const decisions = db.selectFrom('outbox').select('id').where('application_id', '=', applicationId)
  const isQueued = await decisions.where('kind', '=', 'decision').executeTakeFirst()
  const kind = isQueued ? 'decision' : 'reply'
  await queueEmails(db, { kind, applicationIds: [applicationId] }, now)
}

/** Removes queued e-mails to applicants, for example because their data is erased. */
export async function removeQueued(
  db: Db,
  applicationIds: readonly number[],
  kind?: Row['kind'],
): Promise<void> {
  if (applicationIds.length === 0) return
  const rows = db.deleteFrom('outbox').where('application_id', 'in', applicationIds)
  await (kind ? rows.where('kind', '=', kind) : rows).execute()
}

const COLUMNS = ['outbox.id', 'application_id', 'kind', 'link', 'version', 'attempts', 'created_at'] as const

const selectDue = (db: Db, now: number) =>
  db
    .selectFrom('outbox')
    .innerJoin('application', 'application.id', 'application_id')
    .select([...COLUMNS, 'organization_id', 'language'])
    .where('due_at', 'is not', null)
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('outbox.id')

export type DueEmail = Awaited<ReturnType<typeof findDue>>

/** Finds the e-mail that has been due the longest. */
export const findDue = (db: Db, now: number) => selectDue(db, now).executeTakeFirst()

/** The maximum number of applications that one notice lists. */
const MAX_LISTED = 100

/** Finds the due notices for an organization, which are sent as one e-mail. */
export const listDueNotices = (db: Db, organizationId: number | null, now: number) =>
  selectDue(db, now)
    .where('kind', '=', 'notice')
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
    .limit(MAX_LISTED)
    .execute()

export type QueuedEmail = Pick<Row, 'id' | 'version' | 'attempts'>

/** Removes e-mails that were sent, except e-mails that have become due again. */
export async function removeSent(db: Db, sent: readonly QueuedEmail[]): Promise<void> {
  for (const { id, version } of sent)
    await db.deleteFrom('outbox').where('id', '=', id).where('version', '=', version).execute()
}

/** The pause after the first refusal. It doubles with each refusal, up to the maximum. */
const [MIN_RETRY_MS, MAX_RETRY_MS] = [60_000, 12 * 3_600_000]
/** After this many refusals, in about four days, an e-mail is not tried again. */
const MAX_ATTEMPTS = 16

/** Postpones e-mails that the mail server has refused. */
export async function postponeRefused(db: Db, refused: readonly QueuedEmail[], now: number): Promise<void> {
  for (const email of refused) {
    const wait = Math.min(MIN_RETRY_MS * 2 ** email.attempts, MAX_RETRY_MS)
    const attempts = email.attempts + 1
    await update(db, email, { attempts, due_at: attempts < MAX_ATTEMPTS ? now + wait : null })
  }
}

/** Postpones e-mails because the mail server cannot be reached. This does not count as a refusal. */
export async function postpone(db: Db, unsent: readonly QueuedEmail[], now: number): Promise<void> {
  for (const email of unsent) await update(db, email, { due_at: now + MIN_RETRY_MS })
}

async function update(
  db: Db,
  { id, version }: QueuedEmail,
  columns: Partial<Pick<Row, 'attempts' | 'due_at'>>,
): Promise<void> {
  const row = db.updateTable('outbox').set(columns).where('id', '=', id)
  await row.where('version', '=', version).execute()
}

/** Whether an applicant gets e-mails: `refused` if the mail server has refused one that is still queued. */
export type EmailState = 'sent' | 'refused' | 'none'

export async function findEmailState(
  { db, mail }: Pick<Context, 'db' | 'mail'>,
  applicationId: number,
): Promise<EmailState> {
  const application = db.selectFrom('application').select('language').where('id', '=', applicationId)
  if (!mail || !(await application.executeTakeFirst())?.language) return 'none'
  const rows = db.selectFrom('outbox').select('id').where('application_id', '=', applicationId)
  const found = await rows.where('kind', '<>', 'notice').where('attempts', '>', 0).executeTakeFirst()
  return found ? 'refused' : 'sent'
}
