import type { Context } from '../../../context.ts'
import type { App } from '../../../http/app.ts'
import type { Face } from '../../../http/face.ts'
import { readForm } from '../../../http/form-body.ts'
import { addAnimal } from './animals/add.ts'
import { adoptedPages } from './animals/adopted.ts'
import { animalPages, carePages } from './animals/change.ts'
import { animalsCsv, listAnimals } from './animals/list.ts'
import { changeSelected } from './animals/selected.ts'
import { applicationPages } from './applications/application.ts'
import { queuePage } from './applications/queue.ts'
import { consoleError } from './frame.ts'
import { consoleGate, guardPage, pageHook } from './gate.ts'
import { importPages } from './import/page.ts'
import { keyPages, newKeyPages } from './keys/keys.ts'
import { organizationPages, websitePage } from './organization/organization.ts'
import { questionsPages } from './organization/questions.ts'
import { declareNeeds } from './pages.ts'
import { accountPages } from './people/account.ts'
import { peoplePages } from './people/people.ts'
import { adoptionRecord, animalPapers } from './print/animal.ts'
import { joinPages, signInPages } from './sign-in/sign-in.ts'
import { startPage } from './start.ts'
import { statisticsPages } from './statistics/page.ts'
import { MAX_FORM_BYTES, PREFIX, routesOf } from './visit.ts'
import { eventsPage } from './webhooks/events.ts'
import { webhookForms } from './webhooks/form.ts'
import { webhookPages } from './webhooks/webhooks.ts'

/** The pages for shelter staff, who sign in. They make the same changes as the API. */
export function consoleFace(context: Context): Face {
  const { config } = context
  return {
    prefix: PREFIX,
    gate: consoleGate(context),
    readBody: readForm(MAX_FORM_BYTES),
    writeError: (error, headers = {}) => consoleError(error, headers, config),
    hooksUnrouted: true,
    routes(app: App) {
      const routes = routesOf(app, context)
      app.addHook('onRoute', declareNeeds)
      app.addHook('onRequest', pageHook(config))
      app.addHook('onRequest', guardPage(config))
      signInPages(routes)
      joinPages(routes)
      startPage(routes)
      statisticsPages(routes)
      listAnimals(routes)
      changeSelected(routes)
      animalsCsv(routes)
      addAnimal(routes)
      animalPages(routes)
      carePages(routes)
      adoptedPages(routes)
      animalPapers(routes)
      adoptionRecord(routes)
      queuePage(routes)
      applicationPages(routes)
      importPages(routes)
      organizationPages(routes)
      questionsPages(routes)
      websitePage(routes)
      peoplePages(routes)
      keyPages(routes)
      newKeyPages(routes)
      webhookPages(routes)
      webhookForms(routes)
      eventsPage(routes)
      accountPages(routes)
    },
  }
}
