const en = {
  sort: 'Sort by',
  sorts: {
    '': 'Newest first',
    intake: 'Waiting longest',
    name: 'Name',
    number: 'Shelter ID',
    kennel: 'Kennel',
    status: 'Status',
  } as Record<string, string>,
  backwards: (order: string) => `${order}, reversed`,
  columns: {
    name: 'Name',
    number: 'Shelter ID',
    kennel: 'Kennel',
    intake: 'Days in care',
    status: 'Status',
  } as Record<string, string>,
  download: 'Download as CSV',
  first: 'First page',
  next: 'Next page',
  day: (days: number) => days.toLocaleString('en'),
  /** For animals without an intake date. */
  sinceAdded: 'since added',
  planned: (date: string) => `Planned: ${date}`,
  inCare: (days: number, date: string) =>
    days === 0
      ? 'In care since today.'
      : `In care for ${days === 1 ? '1 day' : `${days} days`}, since ${date}.`,
  inCareSinceAdded: (days: number) =>
    `${days === 1 ? '1 day' : `${days} days`} in care since the animal was added. There is no intake date.`,
  plannedFor: (date: string) => `Intake planned for ${date}.`,
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all on this page',
  selected: 'With the selected animals',
  action: 'Action',
  choose: 'Choose an action',
  actions: {
    publish: 'Publish',
    reserve: 'Mark as reserved',
    hold: 'Put on hold',
    unlist: 'Take out of the gallery',
    tag: 'Add a tag',
    assign: 'Assign to an organization',
    export: 'Download as CSV',
  } as Record<string, string>,
  tag: 'Tag',
  apply: 'Apply',
  done: (count: number) => (count === 1 ? 'Done for 1 animal.' : `Done for ${count} animals.`),
  failed: (count: number) =>
    count === 1 ? 'Not possible for 1 animal' : `Not possible for ${count} animals`,
  stillSelected: 'These animals are unchanged and still selected.',
  noneSelected: 'Select at least one animal.',
  noAction: 'Choose an action.',
  noTag: 'Enter a tag.',
  noReason: 'Enter why the animals are on hold.',
  noOrganization: 'Choose an organization.',
  notFrom: (status: string) => `The status is “${status}”. Open the animal to change it.`,
  otherOrganization:
    'Already belongs to an organization. Moving the animal removes its staff-only details, so move it on its own page.',
  changedMeanwhile: 'Someone else changed this animal at the same time. Try again.',
  invalid: 'This animal cannot have this value. Open it to see why.',
}

const es: typeof en = {
  sort: 'Ordenar por',
  sorts: {
    '': 'Más recientes',
    intake: 'Más tiempo esperando',
    name: 'Nombre',
    number: 'N.º del refugio',
    kennel: 'Jaula',
    status: 'Estado',
  },
  backwards: (order) => `${order}, en orden inverso`,
  columns: {
    name: 'Nombre',
    number: 'N.º del refugio',
    kennel: 'Jaula',
    intake: 'Días en el refugio',
    status: 'Estado',
  },
  download: 'Descargar en CSV',
  first: 'Primera página',
  next: 'Página siguiente',
  day: (days) => days.toLocaleString('es'),
  sinceAdded: 'desde su alta',
  planned: (date) => `Previsto: ${date}`,
  inCare: (days, date) =>
    days === 0
      ? 'En el refugio desde hoy.'
      : `Lleva ${days === 1 ? '1 día' : `${days} días`} en el refugio, desde el ${date}.`,
  inCareSinceAdded: (days) =>
    `Lleva ${days === 1 ? '1 día' : `${days} días`} desde que se añadió. No hay fecha de ingreso.`,
  plannedFor: (date) => `Ingreso previsto para el ${date}.`,
  select: (name) => `Seleccionar a ${name}`,
  selectAll: 'Seleccionar todos los de esta página',
  selected: 'Con los animales seleccionados',
  action: 'Acción',
  choose: 'Elija una acción',
  actions: {
    publish: 'Publicar',
    reserve: 'Marcar como reservado',
    hold: 'Retener',
    unlist: 'Retirar de la galería',
    tag: 'Añadir una etiqueta',
    assign: 'Asignar a una organización',
    export: 'Descargar en CSV',
  },
  tag: 'Etiqueta',
  apply: 'Aplicar',
  done: (count) => (count === 1 ? 'Hecho con 1 animal.' : `Hecho con ${count} animales.`),
  failed: (count) => (count === 1 ? 'No fue posible con 1 animal' : `No fue posible con ${count} animales`),
  stillSelected: 'Estos animales no cambiaron y siguen seleccionados.',
  noneSelected: 'Seleccione al menos un animal.',
  noAction: 'Elija una acción.',
  noTag: 'Escriba una etiqueta.',
  noReason: 'Escriba por qué retiene los animales.',
  noOrganization: 'Elija una organización.',
  notFrom: (status) => `Su estado es «${status}». Abra el animal para cambiarlo.`,
  otherOrganization:
    'Ya pertenece a una organización. Al cambiarla se borran los datos internos; cámbiela en la página del animal.',
  changedMeanwhile: 'Otra persona cambió este animal al mismo tiempo. Inténtelo de nuevo.',
  invalid: 'Este animal no puede tener este valor. Ábralo para ver por qué.',
}

export const list = { en, es }
