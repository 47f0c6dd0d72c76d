type Words = Record<string, string>

/** Texts of the application form and of the page on which applicants follow their application. */
const en = {
  title: (name: string) => `Apply to adopt ${name}`,
  lead: (name: string, shelter: string | undefined) =>
    `Tell ${shelter ?? 'the shelter'} about yourself and why you’d be a good match for ${name}. It takes a few minutes, and there’s no obligation.`,
  reserved: (name: string) =>
    `${name} is reserved for someone else. Plans can change, so you can still apply.`,
  allRequired: 'All fields are required unless marked optional.',
  you: 'About you',
  fields: {
    name: 'Your name',
    email: 'E-mail',
    phone: 'Phone',
    address: 'Address',
    message: 'Your message',
  } as Words,
  hints: {
    email: 'The shelter may contact you at this address.',
    emailSent: 'We’ll e-mail you when the shelter decides or replies. The shelter may also contact you here.',
    message: 'Who lives with you, what your home is like, and anything else the shelter should know.',
  } as Words,
  optional: (label: string) => `${label} (optional)`,
  questions: 'Questions from the shelter',
  home: 'About your home',
  yes: 'Yes',
  no: 'No',
  choose: 'Choose an answer',
  leaveEmpty: 'Leave this field empty',
  privacy: (days: string) =>
    `The shelter uses your application only to decide about the adoption. It is erased ${days} after the decision or the adoption.`,
  send: 'Send application',
  wrong: 'Please fix the following',
  missing: {
    name: 'Enter your name.',
    email: 'Enter your e-mail address so the shelter can contact you.',
  } as Words,
  missingAnswer: (question: string) => `Answer this question: ${question}`,
  choice: (question: string) => `Choose one of the answers: ${question}`,
  email: 'Enter a valid e-mail address, such as name@example.org.',
  emailLetters: 'Enter an e-mail address without accents or other special letters, such as name@example.org.',
  oneEmail: 'Enter one address only. You can name a second address in your message.',
  tooLong: (label: string, max: string) => `${label}: enter at most ${max} characters.`,
  line: (label: string) => `${label}: some characters are not valid. Type the text again.`,
  tooFast: 'Please check your answers and send again.',
  sentBefore:
    'An application was already sent with this form, and your changes were not added to it. If it was yours, tell the shelter about the changes. To send these answers as a new application, send the form again.',
  // Notes for staff
  filledHidden:
    'A hidden field of the form was filled in: by the browser, or by a program that sends unwanted applications.',
  repeated: 'This person has also sent these applications for the same animal: {ids}.',
  tooOld: 'This page was open for more than a day. Your answers are still here: please send them again.',
  // Pages instead of the form
  notAvailable: (name: string) => `${name} is no longer looking for a home`,
  notAvailableAdvice: 'Other animals are still looking for a home.',
  tooMany: 'Too many applications in a short time',
  tooManyAdvice: (max: string, wait: string) =>
    `We received ${max} applications from your network within an hour, so this one was not sent. Wait ${wait}, go back in your browser, where your answers may still be, and send again.`,
  notOurs: 'We couldn’t accept this form',
  notOursAdvice:
    'It was not sent from this site. Nothing was changed. Open the page again and send it from there.',
  // The applicant's page
  yours: (name: string) => `Your application to adopt ${name}`,
  yoursGone: 'Your application',
  sent: 'Your application was sent. Thank you!',
  /** By whether the applicant gets e-mails. */
  keep: {
    none: 'Save the address of this page. You need it to come back and see the shelter’s decision and reply. Anyone who has the address can see this page.',
    sent: 'We’re e-mailing you this link, and will e-mail you again when the shelter decides or replies. Anyone who has the link can see this page.',
    refused:
      'An e-mail to the address in your application was refused. Save the address of this page: you need it to come back and see the shelter’s decision and reply. Anyone who has the address can see this page.',
  },
  copyLink: 'Copy link',
  copied: 'Link copied',
  mailLink: 'E-mail it to myself',
  statuses: {
    received: 'Received',
    in_review: 'In review',
    approved: 'Approved',
    declined: 'Declined',
    withdrawn: 'Withdrawn',
    adopted: 'Adoption complete',
  } as Words,
  statusTexts: {
    received: 'The shelter has your application and will review it.',
    in_review: 'The shelter is reviewing your application.',
    approved:
      'The shelter approved your application. Contact the shelter if you haven’t heard about the next steps.',
    declined: 'The shelter declined your application. We hope you’ll consider another animal.',
    withdrawn: 'This application was withdrawn.',
    adopted: 'Congratulations to you both!',
  } as Words,
  reasons: {
    adopted: 'This animal was adopted by someone else. We hope you’ll consider another animal.',
    animal_removed: 'This animal is no longer looking for a home. We hope you’ll consider another animal.',
  } as Words,
  status: 'Status',
  animal: 'Animal',
  receivedAt: 'Sent on',
  decidedAt: 'Decided on',
  withdrawnAt: 'Withdrawn on',
  reply: 'Reply from the shelter',
  withdraw: 'Withdraw application',
  withdrawText:
    'This tells the shelter that you no longer want to adopt this animal. You can’t undo it, but you can send a new application.',
  withdrawYes: 'Yes, withdraw',
  erased: (days: string) =>
    `Your answers and this page are erased ${days} after the decision or the adoption.`,
}

const es: typeof en = {
  title: (name) => `Solicitar la adopción de ${name}`,
  lead: (name, shelter) =>
    `Cuéntele a ${shelter ?? 'el refugio'} quién es usted y por qué podría darle un buen hogar a ${name}. Solo toma unos minutos y no le compromete a nada.`,
  reserved: (name) =>
    `Otra persona reservó a ${name}, pero los planes pueden cambiar: puede enviar su solicitud de todos modos.`,
  allRequired: 'Todos los campos son obligatorios, salvo los marcados como opcionales.',
  you: 'Sobre usted',
  fields: {
    name: 'Su nombre',
    email: 'Correo electrónico',
    phone: 'Teléfono',
    address: 'Dirección',
    message: 'Su mensaje',
  },
  hints: {
    email: 'El refugio puede escribirle a esta dirección.',
    emailSent:
      'Le escribiremos cuando el refugio decida o responda. El refugio también puede escribirle aquí.',
    message: 'Quién vive con usted, cómo es su hogar y qué más debería saber el refugio.',
  },
  optional: (label) => `${label} (opcional)`,
  questions: 'Preguntas del refugio',
  home: 'Sobre su hogar',
  yes: 'Sí',
  no: 'No',
  choose: 'Elija una respuesta',
  leaveEmpty: 'Deje este campo vacío',
  privacy: (days) =>
    `El refugio usa su solicitud solo para decidir sobre la adopción. La solicitud se borra ${days} después de la decisión o de la adopción.`,
  send: 'Enviar la solicitud',
  wrong: 'Corrija lo siguiente',
  missing: {
    name: 'Escriba su nombre.',
    email: 'Escriba su correo electrónico para que el refugio pueda contactarle.',
  },
  missingAnswer: (question) => `Responda a esta pregunta: ${question}`,
  choice: (question) => `Elija una de las respuestas: ${question}`,
  email: 'Escriba una dirección de correo válida, como nombre@example.org.',
  emailLetters:
    'Escriba una dirección de correo sin acentos ni otras letras especiales, como nombre@example.org.',
  oneEmail: 'Escriba una sola dirección. Puede indicar otra en su mensaje.',
  tooLong: (label, max) => `${label}: escriba como máximo ${max} caracteres.`,
  line: (label) => `${label}: algunos caracteres no son válidos. Escriba el texto de nuevo.`,
  tooFast: 'Revise sus respuestas y envíe la solicitud de nuevo.',
  sentBefore:
    'Ya se envió una solicitud con este formulario, y sus cambios no se añadieron a ella. Si era suya, comunique los cambios al refugio. Para enviar estas respuestas como una solicitud nueva, envíe el formulario de nuevo.',
  filledHidden:
    'Se rellenó un campo oculto del formulario: lo hizo el navegador, o un programa que envía solicitudes no deseadas.',
  repeated: 'Esta persona también envió estas solicitudes para el mismo animal: {ids}.',
  tooOld:
    'Esta página estuvo abierta más de un día. Sus respuestas siguen aquí: envíe la solicitud de nuevo.',
  notAvailable: (name) => `${name} ya no busca un hogar`,
  notAvailableAdvice: 'Otros animales todavía buscan un hogar.',
  tooMany: 'Demasiadas solicitudes en poco tiempo',
  tooManyAdvice: (max, wait) =>
    `Recibimos ${max} solicitudes desde su red en una hora, así que esta no se envió. Espere ${wait}, vuelva atrás en su navegador, donde quizá sigan sus respuestas, y envíela de nuevo.`,
  notOurs: 'No pudimos aceptar este formulario',
  notOursAdvice:
    'El formulario no se envió desde este sitio y no se cambió nada. Abra la página de nuevo y envíelo desde allí.',
  yours: (name) => `Su solicitud de adopción de ${name}`,
  yoursGone: 'Su solicitud',
  sent: 'Su solicitud se envió. ¡Gracias!',
  keep: {
    none: 'Guarde la dirección de esta página. La necesita para volver y ver la decisión y la respuesta del refugio. Quien tenga la dirección puede ver esta página.',
    sent: 'Le enviamos este enlace por correo, y le escribiremos de nuevo cuando el refugio decida o responda. Quien tenga el enlace puede ver esta página.',
    refused:
      'Un correo a la dirección de su solicitud fue rechazado. Guarde la dirección de esta página: la necesita para volver y ver la decisión y la respuesta del refugio. Quien tenga la dirección puede ver esta página.',
  },
  copyLink: 'Copiar enlace',
  copied: 'Enlace copiado',
  mailLink: 'Enviármelo por correo',
  statuses: {
    received: 'Recibida',
    in_review: 'En revisión',
    approved: 'Aprobada',
    declined: 'Rechazada',
    withdrawn: 'Retirada',
    adopted: 'Adopción completada',
  },
  statusTexts: {
    received: 'El refugio recibió su solicitud y la revisará.',
    in_review: 'El refugio está revisando su solicitud.',
    approved:
      'El refugio aprobó su solicitud. Póngase en contacto con el refugio si todavía no sabe cuáles son los próximos pasos.',
    declined: 'El refugio rechazó su solicitud. Esperamos que considere otro animal.',
    withdrawn: 'Esta solicitud se retiró.',
    adopted: '¡Felicidades!',
  },
  reasons: {
    adopted: 'Otra persona adoptó a este animal. Esperamos que considere otro.',
    animal_removed: 'Este animal ya no busca un hogar. Esperamos que considere otro.',
  },
  status: 'Estado',
  animal: 'Animal',
  receivedAt: 'Enviada el',
  decidedAt: 'Decidida el',
  withdrawnAt: 'Retirada el',
  reply: 'Respuesta del refugio',
  withdraw: 'Retirar la solicitud',
  withdrawText:
    'El refugio sabrá que ya no quiere adoptar a este animal. No se puede deshacer, pero puede enviar una solicitud nueva.',
  withdrawYes: 'Sí, retirar',
  erased: (days) => `Sus respuestas y esta página se borran ${days} después de la decisión o de la adopción.`,
}

export const apply = { en, es }
