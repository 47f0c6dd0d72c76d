type Words = Record<string, string>

const en = {
  /** The pages about applications. */
  applications: {
    title: 'Applications',
    status: 'Status',
    waiting: 'Needs a decision',
    show: 'Show',
    statuses: {
      received: 'New',
      in_review: 'In review',
      approved: 'Approved',
      declined: 'Declined',
      withdrawn: 'Withdrawn',
    } as Words,
    /** The status of an approved application after the adoption is complete. */
    adopted: 'Adopted',
    none: 'No applications waiting.',
    noneOfStatus: 'No applications with this status.',
    next: 'Next page',
    first: 'First page',
    compare: (count: number) => (count === 1 ? 'View' : `Compare ${count} side by side`),
    /** The section on the page of an animal. */
    open: 'Open applications',
    alsoAppliedFor: 'Same person, also applied for:',
    compareBy: 'Compare the answers to',
    everything: 'Everything',
    noAnswer: 'No answer',
    toDecide: 'Decide',
    forAnimal: (name: string) => `Applications for ${name}`,
    gone: (id: number) => `Animal ${id} (removed)`,
    all: 'All applications',
    days: (days: number) =>
      days === 0
        ? 'received today'
        : days === 1
          ? 'waiting for 1 day'
          : `waiting for ${days.toLocaleString('en')} days`,
    erased: 'Name erased',
    onStart(count: number, more: boolean) {
      const number = `${more ? 'More than ' : ''}${count.toLocaleString('en')}`
      return count === 1 ? '1 application needs a decision' : `${number} applications need a decision`
    },
    // One application
    wishes: (name: string) => `Would like to adopt ${name}`,
    hasAdopted: (name: string) => `Adopted ${name}`,
    sent: 'Application',
    erasedText: 'The applicant’s name, contact details and answers have been erased.',
    notShown: 'The applications above are very long. Open this one to read it.',
    email: 'E-mail',
    phone: 'Phone',
    address: 'Address',
    message: 'Message',
    receivedAt: 'Received on',
    decidedAt: 'Decided on',
    decidedBy: 'Decided by',
    byApplicant: 'The applicant',
    adoptedAt: 'Adopted on',
    adoptedText: 'The adoption is complete, and this application is closed.',
    decide: 'Decision',
    reply: 'Reply to the applicant',
    /** By whether the applicant gets e-mails. */
    replyHints: {
      none: 'The applicant sees the status and your reply on their application page, but gets no e-mail.',
      sent: 'The applicant gets the status and your reply by e-mail, and sees them on their application page.',
      refused: 'The applicant sees the status and your reply on their application page.',
    },
    emailRefused:
      'The mail server refused an e-mail to this applicant. Check the address, and contact them another way.',
    note: 'Note for staff',
    noteHint: 'The applicant sees this note only if they request their data.',
    moves: {
      in_review: 'Start review',
      approved: 'Approve',
      declined: 'Decline',
      withdrawn: 'Mark as withdrawn',
    } as Words,
    backToReview: 'Return to review',
    approvedHint:
      'If you return this application to review, decline it or mark it as withdrawn, the adoption is cancelled and the animal is available again.',
    save: 'Save reply and note',
    approves: 'Approving reserves the animal and opens an adoption.',
    bonded: (name: string, friends: string) =>
      `${name} is adopted together with ${friends}. Approving reserves all of them in one adoption.`,
    closing: {
      declined: {
        title: (who: string) => `Decline the application from ${who}?`,
        yes: 'Yes, decline',
      },
      withdrawn: {
        title: (who: string) => `Mark the application from ${who} as withdrawn?`,
        yes: 'Yes, mark as withdrawn',
      },
      text: 'This cannot be undone.',
      reply: 'Reply to the applicant (optional)',
      no: 'No, go back',
    },
    closed: 'This application is closed.',
    reasons: {
      adopted: 'Declined because someone else adopted the animal.',
      animal_removed: 'Declined because the animal has left or its record was removed.',
    } as Words,
    order: 'Adoption',
    orderText: (id: number) => `The animal is reserved for this applicant (adoption ${id}).`,
    wrong: 'This could not be saved',
    problems: {
      pet_not_available:
        'This animal, or one that must be adopted together with it, is not available. No decision was saved. Check the other applications first.',
      invalid_status_transition:
        'Someone else decided on this application while you were editing. Check its current status below.',
      application_closed: 'This application is closed. It can no longer be decided or answered.',
      order_closed: 'This adoption is already closed. Check its current status below.',
      order_not_found: 'This adoption no longer exists. Check the current status below.',
      pet_not_found: 'The animal’s record was removed, so the animal cannot be adopted.',
      bonded:
        'The animals to be adopted together changed while you were editing. Check them, then try again.',
      other_organization:
        'This animal, or one that must be adopted together with it, belongs to another organization.',
      validation_failed:
        'The reply and the note can have up to 5,000 characters each, without control characters.',
    } as Words,
  },
  /** The editor of an organization's application questions. */
  questions: {
    title: 'Application questions',
    lead: 'Everyone who applies for one of your animals answers these questions, in addition to name, e-mail and message. Keep it short: long forms put adopters off.',
    starterTitle: 'Start with these questions',
    starterHint: 'Many shelters ask them. You can change or remove each one afterwards.',
    addStarters: 'Add these questions',
    /** Each question, followed by its options. */
    starters: [
      [
        'What kind of home do you live in?',
        'House with a yard',
        'House without a yard',
        'Apartment',
        'Other',
      ],
      [
        'Do you own or rent your home?',
        'Own',
        'Rent, and the landlord allows pets',
        'Rent, and I have not asked yet',
      ],
      ['Who lives in your home? Please include the ages of any children.'],
      ['Does everyone in your home agree to the adoption?', 'Yes', 'Not yet'],
      ['Which other animals do you have? If you have none, write “none”.'],
      [
        'How long would the animal be alone on a normal day?',
        'Less than 4 hours',
        '4 to 8 hours',
        'More than 8 hours',
      ],
      ['Which animals have you cared for before, and what became of them?'],
    ] as readonly (readonly string[])[],
    number: (number: number) => `Question ${number}`,
    another: 'Add a question',
    text: 'Question',
    kind: 'Answer type',
    kinds: { text: 'Text', yesNo: 'Yes or no', choice: 'Choose one' } as Words,
    options: 'Options, one per line',
    optionsHint: 'Only for “Choose one”. Enter at least two.',
    required: 'Required',
    remove: 'Remove',
    up: 'Move up',
    down: 'Move down',
    of: (action: string, number: number) => `${action}: question ${number}`,
    save: 'Save questions',
    wrong: 'Please fix the following',
    conflict:
      'Someone else changed the questions while you were editing. If you save again, your version replaces theirs.',
    problems: {
      text: 'Enter a question of 1 to 500 characters on one line.',
      options: 'Enter 2 to 30 different options of up to 200 characters each.',
      many: 'There can be up to 30 questions. Remove some.',
    } as Words,
  },
}

const es: typeof en = {
  applications: {
    title: 'Solicitudes',
    status: 'Estado',
    waiting: 'Pendientes de decisión',
    show: 'Mostrar',
    statuses: {
      received: 'Nueva',
      in_review: 'En revisión',
      approved: 'Aprobada',
      declined: 'Rechazada',
      withdrawn: 'Retirada',
    },
    adopted: 'Adopción completada',
    none: 'No hay solicitudes pendientes.',
    noneOfStatus: 'No hay solicitudes con este estado.',
    next: 'Página siguiente',
    first: 'Primera página',
    compare: (count) => (count === 1 ? 'Ver' : `Comparar las ${count}`),
    open: 'Solicitudes abiertas',
    alsoAppliedFor: 'La misma persona también solicita a:',
    compareBy: 'Comparar las respuestas a',
    everything: 'Todo',
    noAnswer: 'Sin respuesta',
    toDecide: 'Decidir',
    forAnimal: (name) => `Solicitudes de adopción de ${name}`,
    gone: (id) => `Animal ${id} (eliminado)`,
    all: 'Todas las solicitudes',
    days: (days) =>
      days === 0
        ? 'recibida hoy'
        : days === 1
          ? 'espera desde hace 1 día'
          : `espera desde hace ${days.toLocaleString('es')} días`,
    erased: 'Nombre borrado',
    onStart(count, more) {
      const number = `${more ? 'Más de ' : ''}${count.toLocaleString('es')}`
      return count === 1
        ? '1 solicitud pendiente de decisión'
        : `${number} solicitudes pendientes de decisión`
    },
    wishes: (name) => `Quiere adoptar a ${name}`,
    hasAdopted: (name) => `Adoptó a ${name}`,
    sent: 'Solicitud',
    erasedText: 'Se borraron el nombre, los datos de contacto y las respuestas de la persona solicitante.',
    notShown: 'Las solicitudes anteriores son muy largas. Abra esta para leerla.',
    email: 'Correo electrónico',
    phone: 'Teléfono',
    address: 'Dirección',
    message: 'Mensaje',
    receivedAt: 'Recibida el',
    decidedAt: 'Decidida el',
    decidedBy: 'Decidida por',
    byApplicant: 'La persona solicitante',
    adoptedAt: 'Adopción el',
    adoptedText: 'La adopción se completó y esta solicitud está cerrada.',
    decide: 'Decisión',
    reply: 'Respuesta a la persona solicitante',
    replyHints: {
      none: 'La persona solicitante ve el estado y la respuesta en la página de su solicitud, y no recibe ningún correo.',
      sent: 'La persona solicitante recibe el estado y la respuesta por correo, y los ve en la página de su solicitud.',
      refused: 'La persona solicitante ve el estado y la respuesta en la página de su solicitud.',
    },
    emailRefused:
      'El servidor de correo rechazó un correo a esta persona. Compruebe la dirección y contacte con ella de otra manera.',
    note: 'Nota para el personal',
    noteHint: 'La persona solicitante solo ve esta nota si solicita sus datos.',
    moves: {
      in_review: 'Empezar la revisión',
      approved: 'Aprobar',
      declined: 'Rechazar',
      withdrawn: 'Marcar como retirada',
    },
    backToReview: 'Devolver a revisión',
    approvedHint:
      'Si devuelve la solicitud a revisión, la rechaza o la marca como retirada, se cancela la adopción y el animal vuelve a estar disponible.',
    save: 'Guardar respuesta y nota',
    approves: 'Al aprobar la solicitud se reserva el animal y se abre una adopción.',
    bonded: (name, friends) =>
      `${name} se adopta junto con ${friends}. Al aprobar la solicitud se reservan todos en una sola adopción.`,
    closing: {
      declined: {
        title: (who) => `¿Rechazar la solicitud de ${who}?`,
        yes: 'Sí, rechazar',
      },
      withdrawn: {
        title: (who) => `¿Marcar como retirada la solicitud de ${who}?`,
        yes: 'Sí, marcar como retirada',
      },
      text: 'Esto no se puede deshacer.',
      reply: 'Respuesta a la persona solicitante (opcional)',
      no: 'No, volver',
    },
    closed: 'Esta solicitud está cerrada.',
    reasons: {
      adopted: 'Rechazada porque otra persona adoptó al animal.',
      animal_removed: 'Rechazada porque el animal ya no está o se eliminó su ficha.',
    },
    order: 'Adopción',
    orderText: (id) => `El animal está reservado para esta persona (adopción ${id}).`,
    wrong: 'No se pudo guardar',
    problems: {
      pet_not_available:
        'Este animal, u otro que debe adoptarse junto con él, no está disponible. No se guardó ninguna decisión. Revise primero las demás solicitudes.',
      invalid_status_transition:
        'Otra persona decidió sobre esta solicitud mientras usted la editaba. Compruebe abajo su estado actual.',
      application_closed: 'Esta solicitud está cerrada. Ya no se puede decidir ni responder.',
      order_closed: 'Esta adopción ya está cerrada. Compruebe abajo su estado actual.',
      order_not_found: 'Esta adopción ya no existe. Compruebe abajo el estado actual.',
      pet_not_found: 'La ficha del animal se eliminó, así que ya no se puede adoptar.',
      bonded:
        'Los animales que deben adoptarse juntos cambiaron mientras usted editaba. Compruébelos e inténtelo de nuevo.',
      other_organization:
        'Este animal, u otro que debe adoptarse junto con él, pertenece a otra organización.',
      validation_failed:
        'La respuesta y la nota pueden tener hasta 5000 caracteres cada una, sin caracteres de control.',
    },
  },
  questions: {
    title: 'Preguntas de la solicitud',
    lead: 'Toda persona que solicita la adopción de uno de sus animales responde a estas preguntas, además de dar su nombre, correo y mensaje. Sea breve: los formularios largos desaniman a quien quiere adoptar.',
    starterTitle: 'Empiece con estas preguntas',
    starterHint: 'Muchos refugios las hacen. Después puede cambiar o eliminar cada una.',
    addStarters: 'Añadir estas preguntas',
    starters: [
      ['¿En qué tipo de vivienda vive?', 'Casa con jardín o patio', 'Casa sin jardín', 'Apartamento', 'Otra'],
      [
        '¿Su vivienda es propia o alquilada?',
        'Propia',
        'Alquilada, y el propietario permite animales',
        'Alquilada, y todavía no he preguntado',
      ],
      ['¿Quién vive en su casa? Si hay niños, indique su edad.'],
      ['¿Están de acuerdo con la adopción todas las personas de la casa?', 'Sí', 'Todavía no'],
      ['¿Qué otros animales tiene? Si no tiene, escriba «ninguno».'],
      [
        '¿Cuánto tiempo pasaría solo el animal en un día normal?',
        'Menos de 4 horas',
        'De 4 a 8 horas',
        'Más de 8 horas',
      ],
      ['¿Qué animales ha cuidado antes y qué fue de ellos?'],
    ],
    number: (number) => `Pregunta ${number}`,
    another: 'Añadir una pregunta',
    text: 'Pregunta',
    kind: 'Tipo de respuesta',
    kinds: { text: 'Texto', yesNo: 'Sí o no', choice: 'Elegir una opción' },
    options: 'Opciones, una por línea',
    optionsHint: 'Solo para «Elegir una opción». Escriba al menos dos.',
    required: 'Obligatoria',
    remove: 'Eliminar',
    up: 'Subir',
    down: 'Bajar',
    of: (action, number) => `${action}: pregunta ${number}`,
    save: 'Guardar preguntas',
    wrong: 'Corrija lo siguiente',
    conflict:
      'Otra persona cambió las preguntas mientras usted las editaba. Si guarda de nuevo, su versión sustituye a la otra.',
    problems: {
      text: 'Escriba una pregunta de 1 a 500 caracteres, en una sola línea.',
      options: 'Escriba de 2 a 30 opciones distintas, de hasta 200 caracteres cada una.',
      many: 'Puede haber hasta 30 preguntas. Elimine algunas.',
    },
  },
}

export const applications = { en, es }
