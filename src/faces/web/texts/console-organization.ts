import type { Access } from '../../../access.ts'
import { text, type Words } from '../../../http/language.ts'

export const organization = {
  /** The pages of organizations. */
  organization: {
    title: text('Organizations', 'Organizaciones'),
    none: text('There are no organizations yet.', 'Todavía no hay organizaciones.'),
    add: text('Add an organization', 'Añadir una organización'),
    addFirst: text('Add the first organization', 'Añadir la primera organización'),
    adminAdds: text(
      'Ask an admin to add the first one.',
      'Pida a una persona con la función «Administración» que añada la primera.',
    ),
    addLead: text(
      'A name and a code are enough to start. You can add the rest later.',
      'Para empezar bastan un nombre y un código. Lo demás puede añadirlo después.',
    ),
    addButton: text('Add organization', 'Añadir organización'),
    hints: {
      code: text(
        '1 to 20 letters and digits, e.g. CO12. The code is part of web addresses and cannot be changed later.',
        'De 1 a 20 letras y cifras, p. ej. CO12. El código forma parte de direcciones web y no se puede cambiar después.',
      ),
      'address.country': text(
        'Its name or code, e.g. United States or US',
        'Su nombre o código, p. ej. Estados Unidos o US',
      ),
      latitude: text(
        'Found automatically from the postal code or city',
        'Se calcula a partir del código postal o de la ciudad',
      ),
      applicationNotices: text(
        'They go to the e-mail address above, if this service sends e-mails.',
        'Van al correo electrónico de arriba, si este servicio envía correos.',
      ),
    } as Words,
    groupHints: {
      hours: text(
        'e.g. 10am–4pm, or 10:00–13:00, 16:00–19:00, or words such as “by appointment”',
        'p. ej. 10-14, o 10:00-13:00, 16:00-19:00, o con palabras, como «con cita previa»',
      ),
      social: text(
        'The name of each account, e.g. @harbour. Mastodon also needs the server: @harbour@mastodon.social',
        'El nombre de cada cuenta, p. ej. @refugio. Mastodon necesita también el servidor: @refugio@mastodon.social',
      ),
    } as Words,
    notices: text(
      [
        ['', 'Immediately'],
        ['daily', 'Once a day'],
      ] as (readonly [string, string])[],
      [
        ['', 'Al momento'],
        ['daily', 'Una vez al día'],
      ],
    ),
    tabs: {
      details: text('Details', 'Datos'),
      questions: text('Application questions', 'Preguntas de la solicitud'),
      website: text('On your website', 'En su sitio web'),
      public: text('View page', 'Ver la página'),
    },
    website: {
      lead: text(
        'Show the animals of this organization on your own website. Changes appear there immediately.',
        'Muestre los animales de esta organización en su propio sitio web. Los cambios se ven allí de inmediato.',
      ),
      script: text(
        'Paste this line where the animals should appear',
        'Pegue esta línea donde deban aparecer los animales',
      ),
      hint: text(
        'Add data-kind="dog" to show one type only, or data-limit="6" to show fewer at a time.',
        'Añada data-kind="dog" para mostrar un solo tipo, o data-limit="6" para mostrar menos a la vez.',
      ),
      iframe: text(
        'If your website does not allow scripts, paste this line instead',
        'Si su sitio web no admite scripts, pegue esta otra línea',
      ),
      iframeHint: text('Change the height to fit your page.', 'Cambie la altura según su página.'),
      frameTitle: text('Our animals', 'Nuestros animales'),
      preview: text('See what it shows', 'Ver lo que muestra'),
    },
    codeWrong: (label: string) =>
      text(
        `${label} must have 1 to 20 letters and digits, e.g. CO12. Hyphens are allowed only between them.`,
        `${label}: escriba de 1 a 20 letras sin acentos y cifras, p. ej. CO12. Solo puede haber guiones entre ellas.`,
      ),
    codeTaken: text(
      'Another organization already has this code. Choose a different one.',
      'Otra organización ya tiene este código. Elija uno distinto.',
    ),
    groups: {
      contact: text('Name and contact', 'Nombre y contacto'),
      address: text('Address', 'Dirección'),
      about: text('About us', 'Quiénes somos'),
      hours: text('Opening hours', 'Horario'),
      social: text('Social media', 'Redes sociales'),
    } as Words,
    labels: {
      name: text('Name', 'Nombre'),
      code: text('Code', 'Código'),
      email: text('E-mail', 'Correo electrónico'),
      applicationNotices: text('E-mails about new applications', 'Correos sobre solicitudes nuevas'),
      phone: text('Phone', 'Teléfono'),
      website: text('Website', 'Sitio web'),
      'address.street': text('Street', 'Calle y número'),
      'address.city': text('City', 'Ciudad'),
      'address.postcode': text('ZIP or postal code', 'Código postal'),
      'address.region': text('State or region', 'Estado, provincia o región'),
      'address.country': text('Country', 'País'),
      latitude: text('Latitude', 'Latitud'),
      longitude: text('Longitude', 'Longitud'),
      mission: text('Mission', 'Misión'),
      adoptionPolicy: text('Adoption requirements', 'Requisitos de adopción'),
      adoptionUrl: text(
        'Web address of your own application form, if you have one',
        'Dirección web de su propio formulario de solicitud, si lo tiene',
      ),
      'hours.monday': text('Monday', 'Lunes'),
      'hours.tuesday': text('Tuesday', 'Martes'),
      'hours.wednesday': text('Wednesday', 'Miércoles'),
      'hours.thursday': text('Thursday', 'Jueves'),
      'hours.friday': text('Friday', 'Viernes'),
      'hours.saturday': text('Saturday', 'Sábado'),
      'hours.sunday': text('Sunday', 'Domingo'),
      'social.facebook': text('Facebook', 'Facebook'),
      'social.instagram': text('Instagram', 'Instagram'),
      'social.tiktok': text('TikTok', 'TikTok'),
      'social.x': text('X', 'X'),
      'social.youtube': text('YouTube', 'YouTube'),
      'social.mastodon': text('Mastodon', 'Mastodon'),
      'social.bluesky': text('Bluesky', 'Bluesky'),
      'social.linkedin': text('LinkedIn', 'LinkedIn'),
    } as Words,
  },
  /** The page that shows how much each key is used. */
  usage: {
    title: text('API usage', 'Uso de la API'),
    lead: text(
      'Requests with each key today. After a crash of the service, numbers can be too high by up to 5% of the daily limit, but never by more than 1,000 requests.',
      'Peticiones de hoy con cada clave. Tras un fallo del servicio, las cifras pueden superar las reales hasta en un 5 % del límite diario, pero nunca en más de 1000 peticiones.',
    ),
    inRedis: text(
      'This service counts requests in Redis, so their number is not shown here. The plan of each key is listed below.',
      'Este servicio cuenta las peticiones en Redis, así que aquí no se muestra su número. Abajo figura el plan de cada clave.',
    ),
    none: text('There are no API keys.', 'No hay claves de API.'),
    key: text('Key', 'Clave'),
    plan: text('Plan', 'Plan'),
    today: text('Requests today', 'Peticiones de hoy'),
    of: (used: string, limit: string) => text(`${used} of ${limit}`, `${used} de ${limit}`),
  },
  /** The pages of API keys. */
  keys: {
    title: text('API keys', 'Claves de API'),
    lead: text(
      'Websites and other programs use this service with an API key.',
      'Los sitios web y otros programas usan este servicio con una clave de API.',
    ),
    none: text('There are no API keys yet.', 'Todavía no hay claves de API.'),
    make: text('Create a key', 'Crear una clave'),
    makeTitle: text('Create an API key', 'Crear una clave de API'),
    makeLead: text(
      'Give each program its own key. You can then revoke one without stopping the others.',
      'Dé a cada programa su propia clave. Así podrá revocar una sin detener los demás programas.',
    ),
    makeButton: text('Create key', 'Crear clave'),
    name: text('Name', 'Nombre'),
    nameHint: text(
      'Who or what the key is for, e.g. “our website”',
      'Para quién o para qué es la clave, p. ej. «nuestro sitio web»',
    ),
    access: text('Access', 'Acceso'),
    accesses: {
      read: text('Read', 'Lectura'),
      write: text('Write', 'Escritura'),
      admin: text('Admin', 'Administración'),
    } as Words<Access>,
    accessHints: {
      read: text(
        'sees what the public sees, enough for a website',
        've lo mismo que el público, suficiente para un sitio web',
      ),
      write: text(
        'adds and changes animals, adoptions and applications',
        'añade y cambia animales, adopciones y solicitudes',
      ),
      admin: text(
        'can do everything, in every organization',
        'puede hacerlo todo, en todas las organizaciones',
      ),
    } as Words<Access>,
    plan: text('Plan', 'Plan'),
    plans: {
      free: text('Free', 'Free'),
      pro: text('Pro', 'Pro'),
      business: text('Business', 'Business'),
      enterprise: text('Enterprise', 'Enterprise'),
    } as Words,
    figures: (perMinute: number, perDay: number) =>
      text(
        `${perMinute.toLocaleString('en')} a minute, ${perDay.toLocaleString('en')} a day`,
        `${perMinute.toLocaleString('es')} por minuto, ${perDay.toLocaleString('es')} por día`,
      ),
    ownFigures: text('your own limits, below', 'sus propios límites, abajo'),
    planHint: text('How many requests the key may send', 'Cuántas peticiones puede enviar la clave'),
    enterpriseOnly: text('Only for the Enterprise plan', 'Solo para el plan Enterprise'),
    perMinute: text('Requests per minute', 'Peticiones por minuto'),
    perDay: text('Requests per day', 'Peticiones por día'),
    organizationHint: text(
      'A key of one organization can change only that organization’s animals.',
      'La clave de una organización solo puede cambiar los animales de esa organización.',
    ),
    number: (id: number) => text(`Key ${id}`, `Clave ${id}`),
    numberLabel: text('Number', 'Número'),
    key: text('Key', 'Clave'),
    madeTitle: (name: string) => text(`Key “${name}” created`, `Clave «${name}» creada`),
    madeLead: (id: number) =>
      text(
        `Copy the key to where the program keeps its secrets. The list of keys shows this key as number ${id}.`,
        `Copie la clave donde el programa guarda sus secretos. En la lista de claves tiene el número ${id}.`,
      ),
    made: text('Created', 'Creada'),
    valid: text('Active', 'Activa'),
    revoked: text('Revoked', 'Revocada'),
    revokedAt: text('Revoked on', 'Revocada el'),
    toList: text('Back to API keys', 'Volver a las claves de API'),
    above: text(
      'This key can do more than your role allows, so you cannot change it.',
      'Esta clave puede hacer más de lo que su función le permite, así que no puede cambiarla.',
    ),
    rotate: text('New secret', 'Secreto nuevo'),
    rotateHint: text(
      'Replace the secret from time to time, or if someone who should not have it has seen it. The plan, the counts and the number of the key stay the same.',
      'Cambie el secreto de vez en cuando, o si lo vio alguien que no debía. El plan, los contadores y el número de la clave no cambian.',
    ),
    overlap: text('The old secret', 'El secreto anterior'),
    overlaps: {
      '7d': text('works for 7 more days', 'funciona 7 días más'),
      '24h': text('works for 24 more hours', 'funciona 24 horas más'),
      '1h': text('works for 1 more hour', 'funciona 1 hora más'),
      '0': text('stops working immediately', 'deja de funcionar de inmediato'),
    } as Words,
    rotateButton: text('Create new secret', 'Crear un secreto nuevo'),
    rotatedTitle: (name: string) => text(`New secret for “${name}”`, `Secreto nuevo para «${name}»`),
    rotatedLead: (end: string) =>
      text(`The old secret works until ${end}.`, `El secreto anterior funciona hasta: ${end}.`),
    revoke: text('Revoke key', 'Revocar clave'),
    revokeTitle: (name: string) => text(`Revoke the key “${name}”?`, `¿Revocar la clave «${name}»?`),
    revokeLead: text(
      'Every program that uses this key stops working immediately. This cannot be undone.',
      'Todos los programas que usan esta clave dejan de funcionar de inmediato. No se puede deshacer.',
    ),
    problems: {
      name: text('Enter a name with 1 to 200 characters.', 'Escriba un nombre de 1 a 200 caracteres.'),
      access: text('Choose what the key can do.', 'Elija qué puede hacer la clave.'),
      plan: text('Choose a plan.', 'Elija un plan.'),
      count: text('Enter a whole number of at least 1.', 'Escriba un número entero, como mínimo 1.'),
      organization: text(
        'This organization does not exist. Choose another one.',
        'Esta organización no existe. Elija otra.',
      ),
      admin: text(
        'A key of one organization can have read or write access. Admin access is for all organizations.',
        'La clave de una organización puede tener acceso de lectura o de escritura. El de administración es para todas las organizaciones.',
      ),
    },
  },
}
