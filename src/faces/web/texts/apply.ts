import { REASONS } from '../../../applications/emails.ts'
import { text, type Words } from '../../../http/language.ts'

/** Texts of the application form and of the page on which applicants follow their application. */
export const apply = {
  title: (name: string) => text(`Apply to adopt ${name}`, `Solicitar la adopción de ${name}`),
  lead: (name: string, shelter: string | undefined) =>
    text(
      `Tell ${shelter ?? 'the shelter'} about yourself and why you’d be a good match for ${name}. It takes a few minutes, and there’s no obligation.`,
      `Cuéntele a ${shelter ?? 'el refugio'} quién es usted y por qué podría darle un buen hogar a ${name}. Solo toma unos minutos y no le compromete a nada.`,
    ),
  reserved: (name: string) =>
    text(
      `${name} is reserved for someone else. Plans can change, so you can still apply.`,
      `Otra persona reservó a ${name}, pero los planes pueden cambiar: puede enviar su solicitud de todos modos.`,
    ),
  allRequired: text(
    'All fields are required unless marked optional.',
    'Todos los campos son obligatorios, salvo los marcados como opcionales.',
  ),
  you: text('About you', 'Sobre usted'),
  fields: {
    name: text('Your name', 'Su nombre'),
    email: text('E-mail', 'Correo electrónico'),
    phone: text('Phone', 'Teléfono'),
    address: text('Address', 'Dirección'),
    message: text('Your message', 'Su mensaje'),
  } as Words,
  hints: {
    email: text(
      'The shelter may contact you at this address.',
      'El refugio puede escribirle a esta dirección.',
    ),
    emailSent: text(
      'We’ll e-mail you when the shelter decides or replies. The shelter may also contact you here.',
      'Le escribiremos cuando el refugio decida o responda. El refugio también puede escribirle aquí.',
    ),
    message: text(
      'Who lives with you, what your home is like, and anything else the shelter should know.',
      'Quién vive con usted, cómo es su hogar y qué más debería saber el refugio.',
    ),
  } as Words,
  optional: (label: string) => text(`${label} (optional)`, `${label} (opcional)`),
  questions: text('Questions from the shelter', 'Preguntas del refugio'),
  home: text('About your home', 'Sobre su hogar'),
  yes: text('Yes', 'Sí'),
  no: text('No', 'No'),
  choose: text('Choose an answer', 'Elija una respuesta'),
  leaveEmpty: text('Leave this field empty', 'Deje este campo vacío'),
  privacy: (days: string) =>
    text(
      `The shelter uses your application only to decide about the adoption. It is erased ${days} after the decision or the adoption.`,
      `El refugio usa su solicitud solo para decidir sobre la adopción. La solicitud se borra ${days} después de la decisión o de la adopción.`,
    ),
  send: text('Send application', 'Enviar la solicitud'),
  wrong: text('Please fix the following', 'Corrija lo siguiente'),
  missing: {
    name: text('Enter your name.', 'Escriba su nombre.'),
    email: text(
      'Enter your e-mail address so the shelter can contact you.',
      'Escriba su correo electrónico para que el refugio pueda contactarle.',
    ),
  } as Words,
  missingAnswer: (question: string) =>
    text(`Answer this question: ${question}`, `Responda a esta pregunta: ${question}`),
  choice: (question: string) =>
    text(`Choose one of the answers: ${question}`, `Elija una de las respuestas: ${question}`),
  email: text(
    'Enter a valid e-mail address, such as name@example.org.',
    'Escriba una dirección de correo válida, como nombre@example.org.',
  ),
  emailLetters: text(
    'Enter an e-mail address without accents or other special letters, such as name@example.org.',
    'Escriba una dirección de correo sin acentos ni otras letras especiales, como nombre@example.org.',
  ),
  oneEmail: text(
    'Enter one address only. You can name a second address in your message.',
    'Escriba una sola dirección. Puede indicar otra en su mensaje.',
  ),
  tooLong: (label: string, max: string) =>
    text(`${label}: enter at most ${max} characters.`, `${label}: escriba como máximo ${max} caracteres.`),
  line: (label: string) =>
    text(
      `${label}: some characters are not valid. Type the text again.`,
      `${label}: algunos caracteres no son válidos. Escriba el texto de nuevo.`,
    ),
  tooFast: text(
    'Please check your answers and send again.',
    'Revise sus respuestas y envíe la solicitud de nuevo.',
  ),
  sentBefore: text(
    'An application was already sent with this form, and your changes were not added to it. If it was yours, tell the shelter about the changes. To send these answers as a new application, send the form again.',
    'Ya se envió una solicitud con este formulario, y sus cambios no se añadieron a ella. Si era suya, comunique los cambios al refugio. Para enviar estas respuestas como una solicitud nueva, envíe el formulario de nuevo.',
  ),
  // Notes for staff
  filledHidden: text(
    'A hidden field of the form was filled in: by the browser, or by a program that sends unwanted applications.',
    'Se rellenó un campo oculto del formulario: lo hizo el navegador, o un programa que envía solicitudes no deseadas.',
  ),
  repeated: text(
    'This person has also sent these applications for the same animal: {ids}.',
    'Esta persona también envió estas solicitudes para el mismo animal: {ids}.',
  ),
  tooOld: text(
    'This page was open for more than a day. Your answers are still here: please send them again.',
    'Esta página estuvo abierta más de un día. Sus respuestas siguen aquí: envíe la solicitud de nuevo.',
  ),
  // Pages instead of the form
  notAvailable: (name: string) =>
    text(`${name} is no longer looking for a home`, `${name} ya no busca un hogar`),
  notAvailableAdvice: text(
    'Other animals are still looking for a home.',
    'Otros animales todavía buscan un hogar.',
  ),
  tooMany: text('Too many applications in a short time', 'Demasiadas solicitudes en poco tiempo'),
  tooManyAdvice: (max: string, wait: string) =>
    text(
      `We received ${max} applications from your network within an hour, so this one was not sent. Wait ${wait}, go back in your browser, where your answers may still be, and send again.`,
      `Recibimos ${max} solicitudes desde su red en una hora, así que esta no se envió. Espere ${wait}, vuelva atrás en su navegador, donde quizá sigan sus respuestas, y envíela de nuevo.`,
    ),
  notOurs: text('We couldn’t accept this form', 'No pudimos aceptar este formulario'),
  notOursAdvice: text(
    'It was not sent from this site. Nothing was changed. Open the page again and send it from there.',
    'El formulario no se envió desde este sitio y no se cambió nada. Abra la página de nuevo y envíelo desde allí.',
  ),
  // The applicant's page
  yours: (name: string) => text(`Your application to adopt ${name}`, `Su solicitud de adopción de ${name}`),
  yoursGone: text('Your application', 'Su solicitud'),
  sent: text('Your application was sent. Thank you!', 'Su solicitud se envió. ¡Gracias!'),
  /** By whether the applicant gets e-mails. */
  keep: {
    none: text(
      'Save the address of this page. You need it to come back and see the shelter’s decision and reply. Anyone who has the address can see this page.',
      'Guarde la dirección de esta página. La necesita para volver y ver la decisión y la respuesta del refugio. Quien tenga la dirección puede ver esta página.',
    ),
    sent: text(
      'We’re e-mailing you this link, and will e-mail you again when the shelter decides or replies. Anyone who has the link can see this page.',
      'Le enviamos este enlace por correo, y le escribiremos de nuevo cuando el refugio decida o responda. Quien tenga el enlace puede ver esta página.',
    ),
    refused: text(
      'An e-mail to the address in your application was refused. Save the address of this page: you need it to come back and see the shelter’s decision and reply. Anyone who has the address can see this page.',
      'Un correo a la dirección de su solicitud fue rechazado. Guarde la dirección de esta página: la necesita para volver y ver la decisión y la respuesta del refugio. Quien tenga la dirección puede ver esta página.',
    ),
  },
  copyLink: text('Copy link', 'Copiar enlace'),
  copied: text('Link copied', 'Enlace copiado'),
  mailLink: text('E-mail it to myself', 'Enviármelo por correo'),
  statuses: {
    received: text('Received', 'Recibida'),
    in_review: text('In review', 'En revisión'),
    approved: text('Approved', 'Aprobada'),
    declined: text('Declined', 'Rechazada'),
    withdrawn: text('Withdrawn', 'Retirada'),
    adopted: text('Adoption complete', 'Adopción completada'),
  } as Words,
  statusTexts: {
    received: text(
      'The shelter has your application and will review it.',
      'El refugio recibió su solicitud y la revisará.',
    ),
    in_review: text('The shelter is reviewing your application.', 'El refugio está revisando su solicitud.'),
    approved: text(
      'The shelter approved your application. Contact the shelter if you haven’t heard about the next steps.',
      'El refugio aprobó su solicitud. Póngase en contacto con el refugio si todavía no sabe cuáles son los próximos pasos.',
    ),
    declined: text(
      'The shelter declined your application. We hope you’ll consider another animal.',
      'El refugio rechazó su solicitud. Esperamos que considere otro animal.',
    ),
    withdrawn: text('This application was withdrawn.', 'Esta solicitud se retiró.'),
    adopted: text('Congratulations to you both!', '¡Felicidades!'),
  } as Words,
  reasons: REASONS,
  status: text('Status', 'Estado'),
  animal: text('Animal', 'Animal'),
  receivedAt: text('Sent on', 'Enviada el'),
  decidedAt: text('Decided on', 'Decidida el'),
  withdrawnAt: text('Withdrawn on', 'Retirada el'),
  reply: text('Reply from the shelter', 'Respuesta del refugio'),
  withdraw: text('Withdraw application', 'Retirar la solicitud'),
  withdrawText: text(
    'This tells the shelter that you no longer want to adopt this animal. You can’t undo it, but you can send a new application.',
    'El refugio sabrá que ya no quiere adoptar a este animal. No se puede deshacer, pero puede enviar una solicitud nueva.',
  ),
  withdrawYes: text('Yes, withdraw', 'Sí, retirar'),
  erased: (days: string) =>
    text(
      `Your answers and this page are erased ${days} after the decision or the adoption.`,
      `Sus respuestas y esta página se borran ${days} después de la decisión o de la adopción.`,
    ),
}
