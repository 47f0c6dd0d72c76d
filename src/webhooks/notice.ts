import type { Context } from '../context.ts'
import type { Db } from '../db/tables.ts'
import * as organizations from '../organizations/store.ts'
import { get } from './store.ts'

const REASONS: Record<string, string> = {
  behind: 'the receiving program is so slow that events were removed before they could be sent',
  failing: 'every attempt to send an event has failed for five days',
  gone: 'the receiving program asked for no more events',
}

/**
 * Creates a function that reports by e-mail that a webhook was disabled. Its organization gets the e-mail.
 * For a webhook of all organizations, the admins of the installation get it.
 */
export function createDisabledNotifier(
  { db, mail }: Pick<Context, 'db' | 'mail'>,
  listAdminEmails: (db: Db) => Promise<string[]>,
) {
  return async (webhookId: number): Promise<void> => {
    if (!mail) return
    const { organizationId, url, disabledReason } = await get(db, webhookId, {})
    const organization =
      organizationId === undefined ? undefined : await organizations.find(db, organizationId)
    const recipients = organizationId === undefined ? await listAdminEmails(db) : [organization?.email]
    const why = REASONS[disabledReason ?? '']
    // The path of an address may contain a secret.
    const text = `Events are no longer sent to ${new URL(url).host}, because ${why}.

Fix the receiving program, then switch the webhook on in the console, under Webhooks. You can also send the missed events again there.`
    for (const to of recipients)
      if (to !== undefined) await mail.send({ to, subject: 'A webhook was switched off', text })
  }
}
