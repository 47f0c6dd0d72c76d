import type { Context } from '../../context.ts'
import type { Face } from '../../http/face.ts'
import { visitorOf } from '../../keys/identify.ts'
import { charge } from '../../limits/charge.ts'
import { photoFileRoutes } from '../../photos/serve.ts'
import { healthRoutes } from './health.ts'

/**
 * What needs nobody's key, and every address that belongs to no other face. Requests count for the client's
 * address, which is told of the limit once it is used up.
 *
 * @param described what another face tells of itself here
 */
export function openFace(
  context: Context,
  described: Pick<Face, 'writeError' | 'sharedWithAll' | 'variantOf' | 'routes'>,
): Face {
  const { config, limiter } = context
  const visitor = (address: string | undefined) => visitorOf(address, config.anonymous)
  return {
    ...described,
    prefix: '',
    gate: {
      identify: (_request, address) => visitor(address),
      visitor,
      async admit(caller) {
        const { headers, refusal } = await charge(limiter, caller)
        return refusal ? { headers, refusal } : { headers: {} }
      },
      authorize: () => undefined,
    },
    async routes(app) {
      healthRoutes(app, context)
      photoFileRoutes(app, context, ({ ip }) => charge(limiter, visitor(ip)))
      await described.routes(app)
    },
  }
}
