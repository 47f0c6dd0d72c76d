import type { Context } from '../context.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../http/caller.ts'
import { ClosedAddressError, parseOutbound } from '../http/outbound.ts'
import type { Scope } from './store.ts'

// Rules that the API and the console share.

/** No organization has this id. */
const NONE = 0

/** Admin keys manage all webhooks. Keys of an organization manage the webhooks of that organization. */
export function scopeOf({ access, organizationId }: Caller): Scope {
  return { organizationId: organizationId ?? (access === 'admin' ? undefined : NONE) }
}

/** @throws {ApiError} validation_failed for an address that the service will never connect to */
export function requireOpenAddress({ config }: Pick<Context, 'config'>, url: string): void {
  try {
    parseOutbound(url, config.webhookAllowNetworks)
  } catch (error) {
    if (!(error instanceof ClosedAddressError)) throw error
    const details = [{ pointer: '/url', code: 'invalid_value', message: error.message } as const]
    throw new ApiError('validation_failed', { details })
  }
}
