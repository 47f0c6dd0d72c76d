import type { apply as english } from './apply-en.ts'

export const apply: typeof english = {
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
