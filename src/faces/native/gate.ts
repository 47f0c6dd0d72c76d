import type { RouteOptions } from 'fastify'
import { includesAccess, neededAccess } from '../../access.ts'
import type { Context } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import type { Gate } from '../../http/face.ts'
import { identifyKeys, keysOf } from '../../keys/identify.ts'
import { charge } from '../../limits/charge.ts'

/** Lets in who sends a valid key, as far as its limits and its access go. */
export function nativeGate(context: Context): Gate {
  const { limiter } = context
  return {
    ...identifyKeys(context, keysOf(context.config.environment)),
    admit: (caller) => charge(limiter, caller),
    authorize({ access }, needed = 'read', { authorization }) {
      if (access === undefined) return unauthenticated(authorization)
      return includesAccess(access, needed) ? undefined : new ApiError('insufficient_access')
    },
  }
}

/** Route hook: puts what src/access.ts says of the operation where the gate and the description find it. */
export function declareAccess(route: RouteOptions): void {
  route.config = { ...route.config, access: neededAccess(route.schema?.operationId) }
}

/** RFC 6750, section 3: the error is named only when a credential was sent. */
function unauthenticated(authorization: string | undefined): ApiError {
  const realm = 'Bearer realm="adoptable"'
  // Of several headers, which arrive joined, one that looks like a key is enough.
  const sent = /(?:^|, )bearer +\S/i.test(authorization ?? '')
  if (!sent) return new ApiError('missing_api_key', { headers: { 'www-authenticate': realm } })
  return new ApiError('invalid_api_key', {
    headers: { 'www-authenticate': `${realm}, error="invalid_token"` },
  })
}
