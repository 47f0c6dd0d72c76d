import { hash } from 'node:crypto'
import type { Context } from '../context.ts'
import { changes } from '../db/change.ts'
import type { Db } from '../db/tables.ts'
import type { Language } from '../http/language.ts'
import { type Job, runInSteps } from '../jobs/job.ts'
import type { Email } from '../mail/mail.ts'
import * as organizations from '../organizations/store.ts'
import * as pets from '../pets/store.ts'
import { newsEmail, noticeEmail, receiptEmail } from './emails.ts'
import { type DueEmail, findDue, listDueNotices } from './outbox.ts'
import { APPLICATION_COLUMNS, type PersonalData, type StoredApplication, toStored } from './store.ts'

/** The longest time of one run, because the other jobs wait for it. The next run continues the work. */
const MAX_RUN_MS = 20_000

/**
 * The job that sends the e-mails of the outbox. If the mail server cannot be reached, the job fails and is
 * retried. If the server refuses one e-mail, that one is postponed.
 */
export const emails: Job = {
  isDue: async ({ db, mail, clock }) => mail !== undefined && (await findDue(db, clock())) !== undefined,
  async run(context, mayContinue) {
    const startedAt = performance.now()
    const isInTime = () => performance.now() - startedAt < MAX_RUN_MS
    await runInSteps(
      () => sendNext(context),
      async () => isInTime() && (await mayContinue()),
    )
  },
}

/** Sends the next due e-mail. @returns whether there was one */
async function sendNext({ db, mail, write, clock, config }: Context): Promise<boolean> {
  const next = await findDue(db, clock())
  if (!next || !mail) return false
  const queued = next.kind === 'notice' ? await listDueNotices(db, next.organization_id, clock()) : [next]
  const email = await compose(db, next, queued, config.origin)
  try {
    // `email` is undefined if the addressee has no address, was erased, or no longer needs a notice.
    if (!email || (await mail.deliver({ ...email, id: idOf(queued) })))
      await write(changes.removeSent, queued)
    else await write(changes.postponeRefused, queued, clock())
  } catch (error) {
    // Next time, the job tries another e-mail first.
    await write(changes.postpone, queued, clock())
    throw error
  }
  return true
}

type Due = NonNullable<DueEmail>

/** Differs for each e-mail, even if the store reuses the id of a row. */
function idOf(queued: readonly Due[]): string {
  const versions = queued.map(({ id, version, created_at }) => [id, version, created_at])
  return hash('sha256', JSON.stringify(versions)).slice(0, 32)
}

/** Makes the e-mail from the present state of its application. */
async function compose(
  db: Db,
  { application_id, kind, organization_id, language, link }: Due,
  queued: readonly Due[],
  origin: string,
): Promise<Email | undefined> {
  const shelter = organization_id === null ? undefined : await organizations.find(db, organization_id)
  if (kind === 'notice') return shelter && composeNotice(db, shelter, queued, origin)
  const rows = db.selectFrom('application').select(APPLICATION_COLUMNS).where('id', '=', application_id)
  const row = await rows.executeTakeFirst()
  if (!row?.applicant || language === null) return undefined
  const { personal, petId, status, closedAt, reason } = toStored(row) as StoredApplication & {
    personal: PersonalData
  }
  const animal = (await pets.find(db, petId))?.pet.name
  const news = { to: personal.applicant.email, language: language as Language, animal, shelter }
  if (kind === 'receipt') return receiptEmail(news, link ?? '')
  if (kind === 'reply' && personal.reply === undefined) return undefined
  const isAdopted = status === 'approved' && closedAt !== null
  return newsEmail(news, kind, { status: isAdopted ? 'adopted' : status, reason, reply: personal.reply })
}

/** @returns undefined if staff have begun to decide about all of the applications */
async function composeNotice(
  db: Db,
  { id, email, address }: organizations.StoredOrganization,
  queued: readonly Due[],
  origin: string,
): Promise<Email | undefined> {
  if (email === undefined) return undefined
  const ids = queued.map(({ application_id }) => application_id)
  const rows = db.selectFrom('application').select(['id', 'pet_id']).where('id', 'in', ids)
  const found = await rows.where('status', '=', 'received').orderBy('id').execute()
  if (found.length === 0) return undefined
  const animals = await pets.findMany(db, [...new Set(found.map(({ pet_id }) => pet_id))])
  const names = new Map(animals.map(({ id, name }) => [id, name]))
  const applications = found.map(({ id, pet_id }) => ({ id, animal: names.get(pet_id) }))
  return noticeEmail({ to: email, country: address?.country, applications, origin, organizationId: id })
}
