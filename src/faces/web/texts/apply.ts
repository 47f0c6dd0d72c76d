type Words = Record<string, string>

/** Words of the application form, and of the page on which an applicant follows what becomes of it. */
const en = {
  title: (name: string) => `Apply for ${name}`,
  lead: (name: string, shelter: string | undefined) =>
    `Tell ${shelter ?? 'the shelter'} who you are, and why ${name} would be happy with you. It takes a few minutes and binds you to nothing.`,
  reserved: (name: string) =>
    `${name} is reserved at the moment. That does not always work out, so you may apply all the same.`,
  allNeeded: 'Please answer everything that is not marked as optional.',
  you: 'About you',
  fields: {
    name: 'Your name',
    email: 'E-mail',
    phone: 'Phone',
    address: 'Address',
    message: 'Your message',
  } as Words,
  hints: {
    email: 'The shelter answers you here.',
    message: 'Who lives with you, how you live, and what else the shelter should know.',
  } as Words,
  optional: (label: string) => `${label} (optional)`,
  questions: 'What the shelter would like to know',
  yes: 'Yes',
  no: 'No',
  choose: 'Please choose',
  leaveEmpty: 'Leave this empty',
  privacy: (days: number) =>
    `Only the shelter reads this, to decide about your application; it is erased ${days} days after the decision or the adoption.`,
  send: 'Send the application',
  wrong: 'Please look at these again',
  missing: {
    name: 'Write your name.',
    email: 'Write your e-mail address, so that the shelter can answer you.',
  } as Words,
  missingAnswer: (question: string) => `Answer this: ${question}`,
  choice: (question: string) => `Choose one of the answers: ${question}`,
  email: 'This is no e-mail address. It looks like name@example.org.',
  tooLong: (label: string, most: number) => `${label}: at most ${most} characters.`,
  line: (label: string) => `${label}: this has signs that cannot be read. Type it again.`,
  tooFast: 'That was faster than a person can fill this in. Look through it once more, then send it again.',
  filledHidden:
    'Something filled in a field that people do not see, maybe a program that fills in forms. Look through what is here, then send it again.',
  tooOld:
    'This page was open for longer than a day. Everything you wrote is still here: please send it once more.',
  // Where no form is shown
  notAvailable: (name: string) => `${name} does not look for a home any more`,
  notAvailableAdvice: 'Others still do. Maybe one of them is for you.',
  tooMany: 'Too many applications in a short time',
  tooManyAdvice: (minutes: number) =>
    `From where you are, 20 applications came within an hour. Nothing was sent. Try again in ${minutes} minutes: go back in your browser then, where what you wrote may still be.`,
  notOurs: 'This did not come from our form',
  notOursAdvice: 'Nothing was changed. Open the page again, and send it from there.',
  // The applicant's page
  yours: (name: string) => `Your application for ${name}`,
  yoursGone: 'Your application',
  sent: 'Your application is sent. Thank you!',
  keep: 'Keep the address of this page: bookmark it, or send it to yourself. Only with it can you come back here and see the answer, and whoever has it can see this page.',
  statuses: {
    received: 'Received',
    in_review: 'Being looked at',
    approved: 'Approved',
    declined: 'Declined',
    withdrawn: 'Withdrawn',
    adopted: 'Adoption complete',
  } as Words,
  told: {
    received: 'The shelter has it, and will look at it.',
    in_review: 'Somebody at the shelter is looking at it.',
    approved: 'The shelter has chosen you, and will tell you what comes next.',
    declined: 'The shelter has decided otherwise. There may be others who fit you.',
    withdrawn: 'You have taken it back.',
    adopted: 'Congratulations, and a good life together!',
  } as Words,
  reasons: {
    adopted: 'Somebody else has adopted this animal. There may be others who fit you.',
    animal_removed: 'This animal does not look for a home any more. There may be others who fit you.',
  } as Words,
  status: 'Status',
  animal: 'Animal',
  receivedAt: 'Sent',
  decidedAt: 'Decided',
  reply: 'What the shelter writes to you',
  withdraw: 'Take the application back',
  withdrawText:
    'The shelter then knows that you do not want to adopt this animal any more. This cannot be undone; you can send a new application.',
  withdrawYes: 'Yes, take it back',
  erased: (days: number) =>
    `What you wrote is erased ${days} days after the decision or the adoption; this page is gone then too.`,
}

const es: typeof en = {
  title: (name) => `Solicitar a ${name}`,
  lead: (name, shelter) =>
    `Cuente a ${shelter ?? 'el refugio'} quién es y por qué ${name} sería feliz con usted. Se tarda unos minutos y no compromete a nada.`,
  reserved: (name) =>
    `${name} tiene ahora una reserva. No siempre sale bien, así que puede solicitarlo igualmente.`,
  allNeeded: 'Responda, por favor, a todo lo que no esté marcado como opcional.',
  you: 'Sobre usted',
  fields: {
    name: 'Su nombre',
    email: 'Correo electrónico',
    phone: 'Teléfono',
    address: 'Dirección',
    message: 'Su mensaje',
  },
  hints: {
    email: 'El refugio le responde aquí.',
    message: 'Quién vive con usted, cómo vive y qué más debería saber el refugio.',
  },
  optional: (label) => `${label} (opcional)`,
  questions: 'Lo que el refugio quiere saber',
  yes: 'Sí',
  no: 'No',
  choose: 'Elija, por favor',
  leaveEmpty: 'Deje esto vacío',
  privacy: (days) =>
    `Solo lo lee el refugio, para decidir sobre su solicitud; se borra ${days} días después de la decisión o de la adopción.`,
  send: 'Enviar la solicitud',
  wrong: 'Revise esto, por favor',
  missing: {
    name: 'Escriba su nombre.',
    email: 'Escriba su correo electrónico, para que el refugio pueda responderle.',
  },
  missingAnswer: (question) => `Responda a esto: ${question}`,
  choice: (question) => `Elija una de las respuestas: ${question}`,
  email: 'Esto no es una dirección de correo. Tiene la forma nombre@example.org.',
  tooLong: (label, most) => `${label}: como máximo ${most} caracteres.`,
  line: (label) => `${label}: contiene signos que no se pueden leer. Escríbalo de nuevo.`,
  tooFast: 'Ha sido más rápido de lo que una persona puede escribir. Repáselo y envíelo de nuevo.',
  filledHidden:
    'Algo rellenó un campo que las personas no ven, quizá un programa que rellena formularios. Repase lo que hay aquí y envíelo de nuevo.',
  tooOld:
    'Esta página estuvo abierta más de un día. Todo lo que escribió sigue aquí: envíelo otra vez, por favor.',
  notAvailable: (name) => `${name} ya no busca un hogar`,
  notAvailableAdvice: 'Otros sí. Quizá uno de ellos sea para usted.',
  tooMany: 'Demasiadas solicitudes en poco tiempo',
  tooManyAdvice: (minutes) =>
    `Desde donde está llegaron 20 solicitudes en una hora. No se ha enviado nada. Inténtelo en ${minutes} minutos: vuelva atrás en su navegador, donde quizá siga lo que escribió.`,
  notOurs: 'Esto no vino de nuestro formulario',
  notOursAdvice: 'No se ha cambiado nada. Abra la página de nuevo y envíelo desde allí.',
  yours: (name) => `Su solicitud para ${name}`,
  yoursGone: 'Su solicitud',
  sent: 'Su solicitud está enviada. ¡Gracias!',
  keep: 'Guarde la dirección de esta página: márquela o envíesela. Solo con ella puede volver aquí y ver la respuesta, y quien la tenga puede ver esta página.',
  statuses: {
    received: 'Recibida',
    in_review: 'En revisión',
    approved: 'Aprobada',
    declined: 'Rechazada',
    withdrawn: 'Retirada',
    adopted: 'Adopción completa',
  },
  told: {
    received: 'El refugio la tiene y la mirará.',
    in_review: 'Alguien del refugio la está mirando.',
    approved: 'El refugio le ha elegido y le dirá qué viene ahora.',
    declined: 'El refugio ha decidido otra cosa. Puede haber otros que encajen con usted.',
    withdrawn: 'Usted la ha retirado.',
    adopted: '¡Enhorabuena, y una buena vida juntos!',
  },
  reasons: {
    adopted: 'Otra persona ha adoptado a este animal. Puede haber otros que encajen con usted.',
    animal_removed: 'Este animal ya no busca un hogar. Puede haber otros que encajen con usted.',
  },
  status: 'Estado',
  animal: 'Animal',
  receivedAt: 'Enviada',
  decidedAt: 'Decidida',
  reply: 'Lo que el refugio le escribe',
  withdraw: 'Retirar la solicitud',
  withdrawText:
    'El refugio sabrá entonces que ya no quiere adoptar a este animal. No se puede deshacer; puede enviar una solicitud nueva.',
  withdrawYes: 'Sí, retirarla',
  erased: (days) =>
    `Lo que escribió se borra ${days} días después de la decisión o de la adopción; esta página desaparece también.`,
}

export const apply = { en, es }
