import { text, type Words } from '../../../http/language.ts'

export const applications = {
  /** The pages about applications. */
  applications: {
    title: text('Applications', 'Solicitudes'),
    status: text('Status', 'Estado'),
    waiting: text('Needs a decision', 'Pendientes de decisión'),
    show: text('Show', 'Mostrar'),
    statuses: {
      received: text('New', 'Nueva'),
      in_review: text('In review', 'En revisión'),
      approved: text('Approved', 'Aprobada'),
      declined: text('Declined', 'Rechazada'),
      withdrawn: text('Withdrawn', 'Retirada'),
    } as Words,
    /** The status of an approved application after the adoption is complete. */
    adopted: text('Adopted', 'Adopción completada'),
    none: text('No applications waiting.', 'No hay solicitudes pendientes.'),
    noneOfStatus: text('No applications with this status.', 'No hay solicitudes con este estado.'),
    next: text('Next page', 'Página siguiente'),
    first: text('First page', 'Primera página'),
    compare: (count: number) =>
      text(
        count === 1 ? 'View' : `Compare ${count} side by side`,
        count === 1 ? 'Ver' : `Comparar las ${count}`,
      ),
    /** The section on the page of an animal. */
    open: text('Open applications', 'Solicitudes abiertas'),
    alsoAppliedFor: text('Same person, also applied for:', 'La misma persona también solicita a:'),
    compareBy: text('Compare the answers to', 'Comparar las respuestas a'),
    everything: text('Everything', 'Todo'),
    noAnswer: text('No answer', 'Sin respuesta'),
    toDecide: text('Decide', 'Decidir'),
    forAnimal: (name: string) => text(`Applications for ${name}`, `Solicitudes de adopción de ${name}`),
    gone: (id: number) => text(`Animal ${id} (removed)`, `Animal ${id} (eliminado)`),
    all: text('All applications', 'Todas las solicitudes'),
    /** Two functions, like `day` of the list of animals. */
    days: text(
      (days: number) =>
        days === 0
          ? 'received today'
          : days === 1
            ? 'waiting for 1 day'
            : `waiting for ${days.toLocaleString('en')} days`,
      (days) =>
        days === 0
          ? 'recibida hoy'
          : days === 1
            ? 'espera desde hace 1 día'
            : `espera desde hace ${days.toLocaleString('es')} días`,
    ),
    erased: text('Name erased', 'Nombre borrado'),
    onStart: (count: number, more: boolean) =>
      text(
        count === 1
          ? '1 application needs a decision'
          : `${more ? 'More than ' : ''}${count.toLocaleString('en')} applications need a decision`,
        count === 1
          ? '1 solicitud pendiente de decisión'
          : `${more ? 'Más de ' : ''}${count.toLocaleString('es')} solicitudes pendientes de decisión`,
      ),
    // One application
    wishes: (name: string) => text(`Would like to adopt ${name}`, `Quiere adoptar a ${name}`),
    hasAdopted: (name: string) => text(`Adopted ${name}`, `Adoptó a ${name}`),
    sent: text('Application', 'Solicitud'),
    erasedText: text(
      'The applicant’s name, contact details and answers have been erased.',
      'Se borraron el nombre, los datos de contacto y las respuestas de la persona solicitante.',
    ),
    notShown: text(
      'The applications above are very long. Open this one to read it.',
      'Las solicitudes anteriores son muy largas. Abra esta para leerla.',
    ),
    email: text('E-mail', 'Correo electrónico'),
    phone: text('Phone', 'Teléfono'),
    address: text('Address', 'Dirección'),
    message: text('Message', 'Mensaje'),
    receivedAt: text('Received on', 'Recibida el'),
    decidedAt: text('Decided on', 'Decidida el'),
    decidedBy: text('Decided by', 'Decidida por'),
    byApplicant: text('The applicant', 'La persona solicitante'),
    adoptedAt: text('Adopted on', 'Adopción el'),
    adoptedText: text(
      'The adoption is complete, and this application is closed.',
      'La adopción se completó y esta solicitud está cerrada.',
    ),
    decide: text('Decision', 'Decisión'),
    reply: text('Reply to the applicant', 'Respuesta a la persona solicitante'),
    /** By whether the applicant gets e-mails. */
    replyHints: {
      none: text(
        'The applicant sees the status and your reply on their application page, but gets no e-mail.',
        'La persona solicitante ve el estado y la respuesta en la página de su solicitud, y no recibe ningún correo.',
      ),
      sent: text(
        'The applicant gets the status and your reply by e-mail, and sees them on their application page.',
        'La persona solicitante recibe el estado y la respuesta por correo, y los ve en la página de su solicitud.',
      ),
      refused: text(
        'The applicant sees the status and your reply on their application page.',
        'La persona solicitante ve el estado y la respuesta en la página de su solicitud.',
      ),
    },
    emailRefused: text(
      'The mail server refused an e-mail to this applicant. Check the address, and contact them another way.',
      'El servidor de correo rechazó un correo a esta persona. Compruebe la dirección y contacte con ella de otra manera.',
    ),
    note: text('Note for staff', 'Nota para el personal'),
    noteHint: text(
      'The applicant sees this note only if they request their data.',
      'La persona solicitante solo ve esta nota si solicita sus datos.',
    ),
    moves: {
      in_review: text('Start review', 'Empezar la revisión'),
      approved: text('Approve', 'Aprobar'),
      declined: text('Decline', 'Rechazar'),
      withdrawn: text('Mark as withdrawn', 'Marcar como retirada'),
    } as Words,
    backToReview: text('Return to review', 'Devolver a revisión'),
    approvedHint: text(
      'If you return this application to review, decline it or mark it as withdrawn, the adoption is cancelled and the animal is available again.',
      'Si devuelve la solicitud a revisión, la rechaza o la marca como retirada, se cancela la adopción y el animal vuelve a estar disponible.',
    ),
    save: text('Save reply and note', 'Guardar respuesta y nota'),
    approves: text(
      'Approving reserves the animal and opens an adoption.',
      'Al aprobar la solicitud se reserva el animal y se abre una adopción.',
    ),
    bonded: (name: string, friends: string) =>
      text(
        `${name} is adopted together with ${friends}. Approving reserves all of them in one adoption.`,
        `${name} se adopta junto con ${friends}. Al aprobar la solicitud se reservan todos en una sola adopción.`,
      ),
    closing: {
      declined: {
        title: (who: string) =>
          text(`Decline the application from ${who}?`, `¿Rechazar la solicitud de ${who}?`),
        yes: text('Yes, decline', 'Sí, rechazar'),
      },
      withdrawn: {
        title: (who: string) =>
          text(
            `Mark the application from ${who} as withdrawn?`,
            `¿Marcar como retirada la solicitud de ${who}?`,
          ),
        yes: text('Yes, mark as withdrawn', 'Sí, marcar como retirada'),
      },
      text: text('This cannot be undone.', 'Esto no se puede deshacer.'),
      reply: text('Reply to the applicant (optional)', 'Respuesta a la persona solicitante (opcional)'),
      no: text('No, go back', 'No, volver'),
    },
    closed: text('This application is closed.', 'Esta solicitud está cerrada.'),
    reasons: {
      adopted: text(
        'Declined because someone else adopted the animal.',
        'Rechazada porque otra persona adoptó al animal.',
      ),
      animal_removed: text(
        'Declined because the animal has left or its record was removed.',
        'Rechazada porque el animal ya no está o se eliminó su ficha.',
      ),
    } as Words,
    order: text('Adoption', 'Adopción'),
    orderText: (id: number) =>
      text(
        `The animal is reserved for this applicant (adoption ${id}).`,
        `El animal está reservado para esta persona (adopción ${id}).`,
      ),
    wrong: text('This could not be saved', 'No se pudo guardar'),
    problems: {
      pet_not_available: text(
        'This animal, or one that must be adopted together with it, is not available. No decision was saved. Check the other applications first.',
        'Este animal, u otro que debe adoptarse junto con él, no está disponible. No se guardó ninguna decisión. Revise primero las demás solicitudes.',
      ),
      invalid_status_transition: text(
        'Someone else decided on this application while you were editing. Check its current status below.',
        'Otra persona decidió sobre esta solicitud mientras usted la editaba. Compruebe abajo su estado actual.',
      ),
      application_closed: text(
        'This application is closed. It can no longer be decided or answered.',
        'Esta solicitud está cerrada. Ya no se puede decidir ni responder.',
      ),
      order_closed: text(
        'This adoption is already closed. Check its current status below.',
        'Esta adopción ya está cerrada. Compruebe abajo su estado actual.',
      ),
      order_not_found: text(
        'This adoption no longer exists. Check the current status below.',
        'Esta adopción ya no existe. Compruebe abajo el estado actual.',
      ),
      pet_not_found: text(
        'The animal’s record was removed, so the animal cannot be adopted.',
        'La ficha del animal se eliminó, así que ya no se puede adoptar.',
      ),
      bonded: text(
        'The animals to be adopted together changed while you were editing. Check them, then try again.',
        'Los animales que deben adoptarse juntos cambiaron mientras usted editaba. Compruébelos e inténtelo de nuevo.',
      ),
      other_organization: text(
        'This animal, or one that must be adopted together with it, belongs to another organization.',
        'Este animal, u otro que debe adoptarse junto con él, pertenece a otra organización.',
      ),
      validation_failed: text(
        'The reply and the note can have up to 5,000 characters each, without control characters.',
        'La respuesta y la nota pueden tener hasta 5000 caracteres cada una, sin caracteres de control.',
      ),
    } as Words,
  },
  /** The editor of an organization's application questions. */
  questions: {
    title: text('Application questions', 'Preguntas de la solicitud'),
    lead: text(
      'Everyone who applies for one of your animals answers these questions, in addition to name, e-mail and message. Keep it short: long forms put adopters off.',
      'Toda persona que solicita la adopción de uno de sus animales responde a estas preguntas, además de dar su nombre, correo y mensaje. Sea breve: los formularios largos desaniman a quien quiere adoptar.',
    ),
    starterTitle: text('Start with these questions', 'Empiece con estas preguntas'),
    starterHint: text(
      'Many shelters ask them. You can change or remove each one afterwards.',
      'Muchos refugios las hacen. Después puede cambiar o eliminar cada una.',
    ),
    addStarters: text('Add these questions', 'Añadir estas preguntas'),
    /** Each question, followed by its options. */
    starters: text(
      [
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
      [
        [
          '¿En qué tipo de vivienda vive?',
          'Casa con jardín o patio',
          'Casa sin jardín',
          'Apartamento',
          'Otra',
        ],
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
    ),
    number: (number: number) => text(`Question ${number}`, `Pregunta ${number}`),
    another: text('Add a question', 'Añadir una pregunta'),
    text: text('Question', 'Pregunta'),
    kind: text('Answer type', 'Tipo de respuesta'),
    kinds: {
      text: text('Text', 'Texto'),
      yesNo: text('Yes or no', 'Sí o no'),
      choice: text('Choose one', 'Elegir una opción'),
    } as Words,
    options: text('Options, one per line', 'Opciones, una por línea'),
    optionsHint: text(
      'Only for “Choose one”. Enter at least two.',
      'Solo para «Elegir una opción». Escriba al menos dos.',
    ),
    required: text('Required', 'Obligatoria'),
    remove: text('Remove', 'Eliminar'),
    up: text('Move up', 'Subir'),
    down: text('Move down', 'Bajar'),
    of: (action: string, number: number) =>
      text(`${action}: question ${number}`, `${action}: pregunta ${number}`),
    save: text('Save questions', 'Guardar preguntas'),
    wrong: text('Please fix the following', 'Corrija lo siguiente'),
    conflict: text(
      'Someone else changed the questions while you were editing. If you save again, your version replaces theirs.',
      'Otra persona cambió las preguntas mientras usted las editaba. Si guarda de nuevo, su versión sustituye a la otra.',
    ),
    problems: {
      text: text(
        'Enter a question of 1 to 500 characters on one line.',
        'Escriba una pregunta de 1 a 500 caracteres, en una sola línea.',
      ),
      options: text(
        'Enter 2 to 30 different options of up to 200 characters each.',
        'Escriba de 2 a 30 opciones distintas, de hasta 200 caracteres cada una.',
      ),
      many: text(
        'There can be up to 30 questions. Remove some.',
        'Puede haber hasta 30 preguntas. Elimine algunas.',
      ),
    } as Words,
  },
}
