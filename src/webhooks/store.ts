import { type Insertable, type Selectable, sql } from 'kysely'
import { isForeignKeyViolation } from '../db/engine-errors.ts'
import type { Db, Tables } from '../db/tables.ts'
import { ApiError } from '../errors.ts'
import { findRemoved } from '../events/log.ts'
import { skipToNewest } from './deliveries.ts'
import type { NewWebhook, Webhook, WebhookPatch } from './schema.ts'
import { newSecret } from './sign.ts'

/** A webhook with its current secret, and the time (ms) of its first failure since the last success. */
export type StoredWebhook = Webhook & { secret: string; failingSince?: number }

/** The webhooks that a caller may see and change: the webhooks of an organization, or all webhooks. */
export interface Scope {
  organizationId?: number | undefined
}

interface ListQuery extends Scope {
  after?: number | undefined
  limit?: number
  /** Only webhooks that the service has disabled. */
  isSwitchedOff?: boolean
}

/** The maximum number of webhooks of an organization, and of webhooks without an organization. */
export const MAX_WEBHOOKS = 100

/** How long deliveries are also signed with the old secret after a rotation. */
const OLD_SECRET_MS = 86_400_000

const COLUMNS = [
  ...(['id', 'url', 'types', 'organization_id', 'enabled'] as const),
  ...(['description', 'disabled_reason', 'failing_since', 'created_at', 'secret'] as const),
] as const
type Row = Pick<Selectable<Tables['webhook']>, (typeof COLUMNS)[number]>

const visibleTo = (db: Db, { organizationId }: Scope) => {
  const rows = db.selectFrom('webhook').select(COLUMNS)
  return organizationId === undefined ? rows : rows.where('organization_id', '=', organizationId)
}

function toWebhook(row: Row): StoredWebhook {
  return {
    id: row.id,
    url: row.url,
    types: JSON.parse(row.types),
    ...(row.organization_id !== null && { organizationId: row.organization_id }),
    enabled: row.enabled === 1,
    ...(row.description !== null && { description: row.description }),
    ...(row.disabled_reason !== null && { disabledReason: row.disabled_reason }),
    createdAt: new Date(row.created_at).toISOString(),
    secret: row.secret,
    ...(row.failing_since !== null && { failingSince: row.failing_since }),
  }
}

export async function list(
  db: Db,
  { after, limit, isSwitchedOff, ...scope }: ListQuery,
): Promise<StoredWebhook[]> {
  const rows = visibleTo(db, scope)
    .orderBy('id')
    .$if(after !== undefined, (all) => all.where('id', '>', after ?? 0))
    .$if(limit !== undefined, (all) => all.limit(limit ?? 0))
    .$if(isSwitchedOff === true, (all) => all.where('disabled_reason', 'is not', null))
  return (await rows.execute()).map(toWebhook)
}

/** @throws {ApiError} webhook_not_found, also for a webhook that the caller may not see */
export async function get(db: Db, id: number, scope: Scope): Promise<StoredWebhook> {
  const row = await visibleTo(db, scope).where('id', '=', id).executeTakeFirst()
  if (!row) throw new ApiError('webhook_not_found')
  return toWebhook(row)
}

/** @throws {ApiError} too_many_webhooks; validation_failed for an unknown organization */
export async function insertWebhook(db: Db, sent: NewWebhook, now: number): Promise<StoredWebhook> {
  const { url, types = [], organizationId = null, enabled = true, description = null } = sent
  const others = db
    .selectFrom('webhook')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('organization_id', organizationId === null ? 'is' : '=', organizationId)
  if (Number((await others.executeTakeFirstOrThrow()).count) >= MAX_WEBHOOKS)
    throw new ApiError('too_many_webhooks')
  const last = await skipToNewest(db)
  const row: Insertable<Tables['webhook']> = {
    ...{ url, types: JSON.stringify(types), description, secret: newSecret() },
    ...{ organization_id: organizationId, enabled: Number(enabled), created_at: now },
    last_event_id: last,
  }
  try {
    return toWebhook(await db.insertInto('webhook').values(row).returning(COLUMNS).executeTakeFirstOrThrow())
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    const message = 'No organization has this id. GET /organizations lists them.'
    throw new ApiError('validation_failed', {
      details: [{ pointer: '/organizationId', code: 'unknown_organization', message }],
    })
  }
}

/** Finds where an enabled webhook starts. It continues if it is behind and the log still has its events. */
async function findStart(db: Db) {
  const last = await skipToNewest(db)
  const isBehind = sql`behind = 1 and last_event_id >= ${await findRemoved(db)}`
  return {
    last_event_id: sql<number>`case when ${isBehind} then last_event_id else ${last} end`,
    behind: sql<number>`case when ${isBehind} then 1 else 0 end`,
  }
}

/**
 * Changes a webhook. Enabling it, or giving it another address, resets its failures. Events that happened
 * while it was disabled are not sent, unless it is behind.
 * @throws {ApiError} webhook_not_found
 */
export async function updateWebhook(
  db: Db,
  id: number,
  { url, types, enabled, description }: WebhookPatch,
  scope: Scope,
): Promise<StoredWebhook> {
  const before = await get(db, id, scope)
  const row = await db
    .updateTable('webhook')
    .set({
      id,
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types: JSON.stringify(types) }),
      ...(description !== undefined && { description }),
      ...(enabled !== undefined && { enabled: Number(enabled), disabled_reason: null }),
      ...((enabled !== undefined || (url !== undefined && url !== before.url)) && {
        failing_since: null,
        paused_until: 0,
      }),
      ...(enabled && !before.enabled && (await findStart(db))),
    })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirst()
  if (!row) throw new ApiError('webhook_not_found')
  return toWebhook(row)
}

/** Removes a webhook and its deliveries. @throws {ApiError} webhook_not_found */
export async function deleteWebhook(db: Db, id: number, scope: Scope): Promise<void> {
  await get(db, id, scope)
  await db.deleteFrom('webhook').where('id', '=', id).execute()
}

/** Creates a new secret. For a day, the old secret signs too. @throws {ApiError} webhook_not_found */
export async function rotateWebhookSecret(
  db: Db,
  id: number,
  scope: Scope,
  now: number,
): Promise<StoredWebhook> {
  const { secret } = await get(db, id, scope)
  const row = await db
    .updateTable('webhook')
    .set({ secret: newSecret(), old_secret: secret, old_secret_expires_at: now + OLD_SECRET_MS })
    .where('id', '=', id)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow()
  return toWebhook(row)
}
