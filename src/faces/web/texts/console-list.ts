import { text, type Words } from '../../../http/language.ts'

export const list = {
  sort: text('Sort by', 'Ordenar por'),
  sorts: {
    '': text('Newest first', 'Más recientes'),
    intake: text('Waiting longest', 'Más tiempo esperando'),
    name: text('Name', 'Nombre'),
    number: text('Shelter ID', 'N.º del refugio'),
    kennel: text('Kennel', 'Jaula'),
    status: text('Status', 'Estado'),
  } as Words,
  backwards: (order: string) => text(`${order}, reversed`, `${order}, en orden inverso`),
  columns: {
    name: text('Name', 'Nombre'),
    number: text('Shelter ID', 'N.º del refugio'),
    kennel: text('Kennel', 'Jaula'),
    intake: text('Days in care', 'Días en el refugio'),
    status: text('Status', 'Estado'),
  } as Words,
  download: text('Download as CSV', 'Descargar en CSV'),
  first: text('First page', 'Primera página'),
  next: text('Next page', 'Página siguiente'),
  /** Two functions, because each row has a number, and formatting in two languages by turns is slow. */
  day: text(
    (days: number) => days.toLocaleString('en'),
    (days) => days.toLocaleString('es'),
  ),
  /** For animals without an intake date. */
  sinceAdded: text('since added', 'desde su alta'),
  planned: (date: string) => text(`Planned: ${date}`, `Previsto: ${date}`),
  inCare: (days: number, date: string) =>
    text(
      days === 0
        ? 'In care since today.'
        : `In care for ${days === 1 ? '1 day' : `${days} days`}, since ${date}.`,
      days === 0
        ? 'En el refugio desde hoy.'
        : `Lleva ${days === 1 ? '1 día' : `${days} días`} en el refugio, desde el ${date}.`,
    ),
  inCareSinceAdded: (days: number) =>
    text(
      `${days === 1 ? '1 day' : `${days} days`} in care since the animal was added. There is no intake date.`,
      `Lleva ${days === 1 ? '1 día' : `${days} días`} desde que se añadió. No hay fecha de ingreso.`,
    ),
  plannedFor: (date: string) => text(`Intake planned for ${date}.`, `Ingreso previsto para el ${date}.`),
  select: (name: string) => text(`Select ${name}`, `Seleccionar a ${name}`),
  selectAll: text('Select all on this page', 'Seleccionar todos los de esta página'),
  selected: text('With the selected animals', 'Con los animales seleccionados'),
  action: text('Action', 'Acción'),
  choose: text('Choose an action', 'Elija una acción'),
  actions: {
    publish: text('Publish', 'Publicar'),
    reserve: text('Mark as reserved', 'Marcar como reservado'),
    hold: text('Put on hold', 'Retener'),
    unlist: text('Take out of the gallery', 'Retirar de la galería'),
    tag: text('Add a tag', 'Añadir una etiqueta'),
    assign: text('Assign to an organization', 'Asignar a una organización'),
    export: text('Download as CSV', 'Descargar en CSV'),
  } as Words,
  tag: text('Tag', 'Etiqueta'),
  apply: text('Apply', 'Aplicar'),
  done: (count: number) =>
    text(
      count === 1 ? 'Done for 1 animal.' : `Done for ${count} animals.`,
      count === 1 ? 'Hecho con 1 animal.' : `Hecho con ${count} animales.`,
    ),
  failed: (count: number) =>
    text(
      count === 1 ? 'Not possible for 1 animal' : `Not possible for ${count} animals`,
      count === 1 ? 'No fue posible con 1 animal' : `No fue posible con ${count} animales`,
    ),
  stillSelected: text(
    'These animals are unchanged and still selected.',
    'Estos animales no cambiaron y siguen seleccionados.',
  ),
  noneSelected: text('Select at least one animal.', 'Seleccione al menos un animal.'),
  noAction: text('Choose an action.', 'Elija una acción.'),
  noTag: text('Enter a tag.', 'Escriba una etiqueta.'),
  noReason: text('Enter why the animals are on hold.', 'Escriba por qué retiene los animales.'),
  noOrganization: text('Choose an organization.', 'Elija una organización.'),
  notFrom: (status: string) =>
    text(
      `The status is “${status}”. Open the animal to change it.`,
      `Su estado es «${status}». Abra el animal para cambiarlo.`,
    ),
  otherOrganization: text(
    'Already belongs to an organization. Moving the animal removes its staff-only details, so move it on its own page.',
    'Ya pertenece a una organización. Al cambiarla se borran los datos internos; cámbiela en la página del animal.',
  ),
  changedMeanwhile: text(
    'Someone else changed this animal at the same time. Try again.',
    'Otra persona cambió este animal al mismo tiempo. Inténtelo de nuevo.',
  ),
  invalid: text(
    'This animal cannot have this value. Open it to see why.',
    'Este animal no puede tener este valor. Ábralo para ver por qué.',
  ),
}
