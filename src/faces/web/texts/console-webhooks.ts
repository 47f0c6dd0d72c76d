import type { EventType } from '../../../events/schema.ts'
import { text, type Words } from '../../../http/language.ts'
import type { TEST_TYPE } from '../../../webhooks/schema.ts'

type DeliveryType = EventType | typeof TEST_TYPE

export const webhooks = {
  /** The pages of webhooks. */
  webhooks: {
    title: text('Webhooks', 'Webhooks'),
    lead: text(
      'The service sends events to these addresses, for example to your website or shelter software.',
      'El servicio envía eventos a estas direcciones, por ejemplo a su sitio web o al programa de su refugio.',
    ),
    none: text('There are no webhooks yet.', 'Todavía no hay webhooks.'),
    adminsOnly: text(
      'Admins manage the webhooks of the whole installation.',
      'Quienes administran el servicio gestionan los webhooks de toda la instalación.',
    ),
    add: text('Add a webhook', 'Añadir un webhook'),
    addLead: text(
      'Enter the address of the program that receives the events. It gets a signed request for each event.',
      'Escriba la dirección del programa que recibe los eventos. Recibirá una petición firmada por cada evento.',
    ),
    addButton: text('Add webhook', 'Añadir webhook'),
    change: text('Change', 'Cambiar'),
    changeTitle: text('Change webhook', 'Cambiar el webhook'),
    toList: text('Back to webhooks', 'Volver a los webhooks'),
    toWebhook: text('View webhook', 'Ver el webhook'),
    url: text('Address', 'Dirección'),
    urlHint: text(
      'Must begin with https:// and be reachable from the internet.',
      'Debe empezar por https:// y ser accesible desde internet.',
    ),
    description: text('Description', 'Descripción'),
    descriptionHint: text(
      'What the address is for, e.g. “our website”',
      'Para qué es la dirección, p. ej. «nuestro sitio web»',
    ),
    types: text('Events', 'Eventos'),
    typesHint: text(
      'To send all events, leave all boxes unchecked.',
      'Para enviar todos los eventos, no marque ninguno.',
    ),
    allTypes: text('All events', 'Todos los eventos'),
    organizationHint: text(
      'Only events of this organization are sent.',
      'Solo se envían los eventos de esta organización.',
    ),
    problems: {
      url: text(
        'Enter an address that begins with https://, has no user name or password, and is reachable from the internet.',
        'Escriba una dirección que empiece por https://, no tenga usuario ni contraseña y sea accesible desde internet.',
      ),
      description: text(
        'Enter a description of up to 200 characters.',
        'Escriba una descripción de hasta 200 caracteres.',
      ),
      types: text('Choose events from the list.', 'Elija eventos de la lista.'),
      organizationId: text(
        'This organization does not exist. Choose another one.',
        'Esta organización no existe. Elija otra.',
      ),
    } as Words,
    wrongSince: text('Enter a date, e.g. 2026-11-30.', 'Escriba una fecha, p. ej. 2026-11-30.'),
    addedTitle: text('Webhook added', 'Webhook añadido'),
    addedLead: text(
      'Copy the secret into the receiving program. The program uses it to check that events come from here.',
      'Copie el secreto en el programa que recibe los eventos. Le sirve para comprobar que los eventos vienen de aquí.',
    ),
    secret: text('Secret', 'Secreto'),
    newSecret: text('New secret', 'Secreto nuevo'),
    newSecretHint: text(
      'Create a new secret if someone else may have seen the current one. The old secret works for 24 more hours.',
      'Cree un secreto nuevo si otra persona puede haber visto el actual. El anterior funciona durante 24 horas más.',
    ),
    newSecretButton: text('Create new secret', 'Crear un secreto nuevo'),
    newSecretTitle: text('New secret created', 'Secreto nuevo creado'),
    newSecretLead: text(
      'Copy the secret into the receiving program. The old secret works for 24 more hours.',
      'Copie el secreto en el programa que recibe los eventos. El anterior funciona durante 24 horas más.',
    ),
    on: text('On', 'Activo'),
    off: text('Off', 'Desactivado'),
    switchedOff: text('Switched off by the service', 'Desactivado por el servicio'),
    reasons: {
      behind: text(
        'The receiving program was so slow that events were removed before they could be sent. Read all data again, then switch the webhook on.',
        'El programa que recibe los eventos fue tan lento que algunos se eliminaron antes de enviarse. Vuelva a leer todos los datos y active el webhook.',
      ),
      failing: text(
        'No event could be delivered for five days. Fix the receiving program, then switch the webhook on.',
        'Durante cinco días no se pudo entregar ningún evento. Corrija el programa que los recibe y active el webhook.',
      ),
      gone: text(
        'The receiving program asked for no more events. Switch the webhook on if that was a mistake.',
        'El programa que recibe los eventos pidió que no se le enviaran más. Active el webhook si fue un error.',
      ),
    } as Words,
    failingSince: (time: string) =>
      text(
        `No event has been delivered since ${time}.`,
        `No se ha entregado ningún evento desde el ${time}.`,
      ),
    failing: text('Failing', 'Con fallos'),
    state: text('Status', 'Estado'),
    created: text('Added', 'Añadido'),
    switchOn: text('Switch on', 'Activar'),
    switchOff: text('Switch off', 'Desactivar'),
    offHint: text(
      'Nothing is sent while the webhook is off. When you switch it on, you can send missed events again.',
      'Mientras el webhook está desactivado no se envía nada. Cuando lo active, podrá enviar los eventos que no se entregaron.',
    ),
    remove: text('Remove webhook', 'Eliminar webhook'),
    removeTitle: (host: string) => text(`Remove the webhook to ${host}?`, `¿Eliminar el webhook a ${host}?`),
    removeLead: text(
      'No more events will be sent to this address. Its list of deliveries is removed too.',
      'Ya no se enviarán eventos a esta dirección y se eliminará la lista de sus entregas.',
    ),
    test: text('Send a test', 'Enviar una prueba'),
    testHint: text(
      'Sends a test event. The result appears in the list of deliveries.',
      'Envía un evento de prueba. El resultado aparece en la lista de entregas.',
    ),
    recover: text('Send missed events again', 'Enviar de nuevo los eventos no entregados'),
    recoverHint: text(
      'Sends all undelivered events since the start of the chosen day (UTC).',
      'Envía todos los eventos no entregados desde el comienzo del día elegido (UTC).',
    ),
    since: text('Since', 'Desde'),
    recoverButton: text('Send again', 'Enviar de nuevo'),
    recovered: (count: number) =>
      text(
        count === 0
          ? 'No events have been missed since then.'
          : `${count === 1 ? '1 event is' : `${count} events are`} being sent again. Reload the page to see the result.`,
        count === 0
          ? 'Desde entonces no se perdió ningún evento.'
          : `Se ${count === 1 ? 'envía 1 evento' : `envían ${count} eventos`} de nuevo. Recargue la página para ver el resultado.`,
      ),
    deliveries: text('Latest deliveries', 'Últimas entregas'),
    noDeliveries: text('Nothing has been sent yet.', 'Todavía no se ha enviado nada.'),
    statuses: {
      pending: text('Waiting', 'En espera'),
      delivered: text('Delivered', 'Entregado'),
      failed: text('Failed', 'Fallido'),
    },
    attempts: (count: number) =>
      text(count === 1 ? '1 attempt' : `${count} attempts`, count === 1 ? '1 intento' : `${count} intentos`),
    responseStatus: (status: number) => text(`response ${status}`, `respuesta ${status}`),
    next: (time: string) => text(`next attempt: ${time}`, `próximo intento: ${time}`),
    response: text('Response', 'Respuesta'),
    retry: text('Send again', 'Enviar de nuevo'),
    onStart: (host: string) =>
      text(
        `The service has switched off the webhook to ${host}. No events are being sent there.`,
        `El servicio ha desactivado el webhook a ${host}. Ya no se le envían eventos.`,
      ),
  },
  /** The page of recent events. */
  events: {
    title: text('Recent events', 'Eventos recientes'),
    lead: text(
      'The latest changes, newest first (up to 100).',
      'Los últimos cambios, del más reciente al más antiguo (100 como máximo).',
    ),
    none: text('No events found.', 'No se encontraron eventos.'),
    type: text('Event', 'Evento'),
    all: text('All', 'Todos'),
    show: text('Show', 'Mostrar'),
    animal: (id: number) => text(`Animal ${id}`, `Animal ${id}`),
    application: (id: number) => text(`Application ${id}`, `Solicitud ${id}`),
    order: (id: number) => text(`Adoption ${id}`, `Adopción ${id}`),
    category: (id: number) => text(`Category ${id}`, `Categoría ${id}`),
    organization: (id: number) => text(`Organization ${id}`, `Organización ${id}`),
    types: {
      'pet.created': text('Animal added', 'Animal añadido'),
      'pet.updated': text('Animal changed', 'Animal modificado'),
      'pet.status_changed': text('Animal status changed', 'Cambio de estado de un animal'),
      'pet.deleted': text('Animal removed', 'Animal eliminado'),
      'category.created': text('Category added', 'Categoría añadida'),
      'category.updated': text('Category changed', 'Categoría modificada'),
      'category.deleted': text('Category removed', 'Categoría eliminada'),
      'organization.created': text('Organization added', 'Organización añadida'),
      'organization.updated': text('Organization changed', 'Organización modificada'),
      'organization.deleted': text('Organization removed', 'Organización eliminada'),
      'order.placed': text('Adoption opened', 'Adopción abierta'),
      'order.approved': text('Adoption approved', 'Adopción aprobada'),
      'order.completed': text('Adoption completed', 'Adopción completada'),
      'order.cancelled': text('Adoption cancelled', 'Adopción cancelada'),
      'application.received': text('Application received', 'Solicitud recibida'),
      'application.decided': text('Application status changed', 'Cambio de estado de una solicitud'),
      'photo.added': text('Photo added', 'Foto añadida'),
      'photo.removed': text('Photo removed', 'Foto eliminada'),
      'webhook.test': text('Test', 'Prueba'),
    } as Words<DeliveryType>,
  },
}
