import type { Context } from '../../../../context.ts'
import type { App } from '../../../../http/app.ts'
import { decideApplication } from './decide.ts'
import { decideItsOrder } from './its-order.ts'
import { queuePage } from './queue.ts'

/** Who would like to adopt, and what becomes of it. */
export function applicationPages(app: App, context: Context): void {
  queuePage(app, context)
  decideApplication(app, context)
  decideItsOrder(app, context)
}
