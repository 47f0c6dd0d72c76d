import { byLanguage, type Language, text, type Words } from '../http/language.ts'
import { withoutBidiControls } from '../http/text.ts'
import type { Email } from '../mail/mail.ts'
import type { Organization } from '../organizations/schema.ts'
import type { ApplicationStatus } from './schema.ts'

// The texts of e-mails about applications. E-mails to applicants have no text that the applicant typed, so
// the form cannot be used to send texts to other people.

/** Why an application was declined, for the applicant. */
export const REASONS: Words = {
  adopted: text(
    'This animal was adopted by someone else. We hope you’ll consider another animal.',
    'Otra persona adoptó a este animal. Esperamos que considere otro.',
  ),
  animal_removed: text(
    'This animal is no longer looking for a home. We hope you’ll consider another animal.',
    'Este animal ya no busca un hogar. Esperamos que considere otro.',
  ),
}

const TEXTS = byLanguage({
  hello: text('Hello,', 'Hola:'),
  shelter: text('The shelter', 'El refugio'),
  receipt: {
    subject: (animal: string) =>
      text(`Your application to adopt ${animal}`, `Su solicitud de adopción de ${animal}`),
    text: (shelter: string, animal: string, link: string) =>
      text(
        `${shelter} received your application to adopt ${animal}. Thank you!

To follow or withdraw your application, open this private link:

${link}

Please keep this e-mail: you need the link to come back, and anyone who has it can see the page. You will
get another e-mail when the shelter decides or replies.

If you did not send this application, open the link and withdraw it.`,
        `${shelter} recibió su solicitud de adopción de ${animal}. ¡Gracias!

Para seguir o retirar su solicitud, abra este enlace privado:

${link}

Guarde este correo: necesita el enlace para volver, y quien lo tenga puede ver la página. Recibirá otro
correo cuando el refugio decida o responda.

Si usted no envió esta solicitud, abra el enlace y retírela.`,
      ),
  },
  decisionSubject: (animal: string, status: string) =>
    text(
      `Your application to adopt ${animal}: ${status}`,
      `Su solicitud de adopción de ${animal}: ${status}`,
    ),
  replySubject: (animal: string) =>
    text(
      `A reply about your application to adopt ${animal}`,
      `Una respuesta sobre su solicitud de adopción de ${animal}`,
    ),
  statuses: {
    received: text('received', 'recibida'),
    in_review: text('in review', 'en revisión'),
    approved: text('approved', 'aprobada'),
    declined: text('declined', 'rechazada'),
    withdrawn: text('withdrawn', 'retirada'),
    adopted: text('adoption complete', 'adopción completada'),
  },
  news: {
    received: (shelter: string) =>
      text(
        `${shelter} has your application and will review it.`,
        `${shelter} tiene su solicitud y la revisará.`,
      ),
    in_review: (shelter: string) =>
      text(`${shelter} is reviewing your application.`, `${shelter} está revisando su solicitud.`),
    approved: (shelter: string) =>
      text(
        `${shelter} approved your application. Contact the shelter if you haven’t heard about the next steps.`,
        `${shelter} aprobó su solicitud. Póngase en contacto con el refugio si todavía no sabe cuáles son los próximos pasos.`,
      ),
    declined: (shelter: string) =>
      text(
        `${shelter} declined your application. We hope you’ll consider another animal.`,
        `${shelter} rechazó su solicitud. Esperamos que considere otro animal.`,
      ),
    withdrawn: () => text('Your application was withdrawn.', 'Su solicitud se retiró.'),
    adopted: () =>
      text(
        'The adoption is complete. Congratulations to you both!',
        'La adopción se completó. ¡Felicidades!',
      ),
  },
  reasons: REASONS,
  reply: (shelter: string) => text(`${shelter} writes:`, `${shelter} escribe:`),
  page: text(
    'You can also see this on the page of your application. Its private link is in the first e-mail.',
    'También puede verlo en la página de su solicitud. El enlace privado está en el primer correo.',
  ),
  contact: (shelter: string, ways: string) =>
    text(`To contact ${shelter}: ${ways}`, `Para contactar con ${shelter}: ${ways}`),
  noAnimal: text('an animal', 'un animal'),
  notice: {
    subject: (count: number, animal: string) =>
      text(
        count === 1 ? `New application to adopt ${animal}` : `${count} new applications`,
        count === 1 ? `Nueva solicitud de adopción de ${animal}` : `${count} solicitudes nuevas`,
      ),
    text: (count: number, list: string, settings: string) =>
      text(
        `${count === 1 ? 'There is a new application' : 'There are new applications'}:

${list}

Sign in to read and decide. To get these e-mails immediately or once a day:
${settings}`,
        `${count === 1 ? 'Hay una solicitud nueva' : 'Hay solicitudes nuevas'}:

${list}

Inicie sesión para leer y decidir. Para recibir estos correos al momento o una vez al día:
${settings}`,
      ),
  },
})

type Shelter = Pick<Organization, 'name' | 'email' | 'phone'>

/** The addressee and the subject matter of an e-mail to an applicant. */
export interface ApplicationNews {
  to: string
  language: Language
  /** The name of the animal. Absent if its record was removed. */
  animal: string | undefined
  shelter: Shelter | undefined
}

/** The e-mail with the private link, after the application was received. */
export function receiptEmail(news: ApplicationNews, link: string): Email {
  const words = TEXTS[news.language]
  const { animal, shelter } = namesIn(news)
  return applicantEmail(news, words.receipt.subject(animal), [words.receipt.text(shelter, animal, link)])
}

interface State {
  /** The status; `adopted` after the adoption is complete. */
  status: ApplicationStatus | 'adopted'
  reason?: string | undefined
  reply?: string | undefined
}

/** The e-mail after a decision or a new reply. */
export function newsEmail(
  news: ApplicationNews,
  kind: 'decision' | 'reply',
  { status, reason, reply }: State,
): Email {
  const words = TEXTS[news.language]
  const { animal, shelter } = namesIn(news)
  const subject =
    kind === 'reply' ? words.replySubject(animal) : words.decisionSubject(animal, words.statuses[status])
  const state = words.reasons[reason ?? ''] ?? words.news[status](shelter)
  return applicantEmail(news, subject, [
    kind === 'decision' && state,
    reply && `${words.reply(shelter)}\n\n${reply}`,
    words.page,
  ])
}

function namesIn({ language, animal, shelter }: ApplicationNews) {
  const words = TEXTS[language]
  return {
    animal: withoutBidiControls(animal ?? words.noAnimal),
    shelter: withoutBidiControls(shelter?.name ?? words.shelter),
  }
}

function applicantEmail(
  { to, language, shelter }: ApplicationNews,
  subject: string,
  parts: (string | undefined | false)[],
): Email {
  const words = TEXTS[language]
  const ways = [shelter?.email, shelter?.phone].filter(Boolean).join(', ')
  const contact = shelter && ways && words.contact(withoutBidiControls(shelter.name), ways)
  return {
    to,
    subject,
    text: `${[words.hello, ...parts, contact].filter(Boolean).join('\n\n')}\n`,
    replyTo: shelter?.email,
  }
}

/** Countries whose shelters get their e-mails in Spanish. */
const SPANISH = new Set('AR BO CL CO CR CU DO EC ES GQ GT HN MX NI PA PE PR PY SV UY VE'.split(' '))

export interface NewApplications {
  to: string
  country: string | undefined
  applications: { id: number; animal: string | undefined }[]
  /** The address of the service. */
  origin: string
  organizationId: number
}

/** The e-mail to a shelter about new applications. It names no applicants, because it may be read by many. */
export function noticeEmail({ to, country, applications, origin, organizationId }: NewApplications): Email {
  const words = TEXTS[SPANISH.has(country ?? '') ? 'es' : 'en']
  const nameOf = (animal: string | undefined) => withoutBidiControls(animal ?? words.noAnimal)
  const list = applications.map(
    ({ id, animal }) => `- ${nameOf(animal)}: ${origin}/console/applications/${id}`,
  )
  const settings = `${origin}/console/organizations/${organizationId}`
  const count = applications.length
  return {
    to,
    subject: words.notice.subject(count, nameOf(applications[0]?.animal)),
    text: `${words.hello}\n\n${words.notice.text(count, list.join('\n'), settings)}\n`,
  }
}
