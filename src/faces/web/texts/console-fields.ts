import { text, type Words } from '../../../http/language.ts'
import { COATS } from './gallery.ts'

/** The fields of an animal. */
export const fields = {
  groups: {
    basics: text('Basics', 'Lo esencial'),
    looks: text('Appearance', 'Aspecto'),
    character: text('Personality', 'Carácter'),
    health: text('Health', 'Salud'),
    adoption: text('Adoption', 'Adopción'),
    place: text('Location', 'Ubicación'),
    staff: text('Staff only', 'Solo para el personal'),
  } as Words,
  groupHints: { staff: text('Never shown in the gallery.', 'No se muestra nunca en la galería.') } as Words,
  labels: {
    name: text('Name', 'Nombre'),
    categoryId: text('Type', 'Tipo'),
    species: text('Species', 'Especie'),
    'breed.primary': text('Breed', 'Raza'),
    'breed.secondary': text('Second breed', 'Segunda raza'),
    'breed.mixed': text('Mixed breed', 'Cruce'),
    'breed.unknown': text('Breed is a guess', 'Raza estimada'),
    sex: text('Sex', 'Sexo'),
    birthDate: text('Date of birth', 'Fecha de nacimiento'),
    birthDateExact: text('Date of birth is exact', 'La fecha de nacimiento es exacta'),
    typedAge: text('Age, if the date is not known', 'Edad, si no se conoce la fecha'),
    age: text('Age group', 'Grupo de edad'),
    externalId: text('Shelter ID', 'N.º del refugio'),
    colors: text('Colors', 'Colores'),
    coat: text('Coat', 'Pelo'),
    size: text('Size', 'Tamaño'),
    weightGrams: text('Weight', 'Peso'),
    videos: text('Videos', 'Videos'),
    description: text('Description', 'Descripción'),
    'goodWith.children': text('Good with children', 'Se lleva bien con niños'),
    'goodWith.dogs': text('Good with dogs', 'Se lleva bien con perros'),
    'goodWith.cats': text('Good with cats', 'Se lleva bien con gatos'),
    'traits.houseTrained': text('House-trained', 'Educado en casa'),
    tags: text('Tags', 'Etiquetas'),
    'traits.vaccinated': text('Vaccinated', 'Vacunado'),
    'traits.spayedNeutered': text('Spayed or neutered', 'Esterilizado'),
    'traits.specialNeeds': text('Special needs', 'Necesidades especiales'),
    'traits.declawed': text('Declawed', 'Uñas extirpadas'),
    'fee.amount': text('Adoption fee', 'Cuota de adopción'),
    'fee.currency': text('Currency', 'Moneda'),
    bondedWith: text('Adopted together with', 'Se adopta junto con'),
    'contact.name': text('Contact name', 'Nombre de contacto'),
    'contact.email': text('Contact e-mail', 'Correo de contacto'),
    'contact.phone': text('Contact phone', 'Teléfono de contacto'),
    organizationId: text('Organization', 'Organización'),
    'place.city': text('City', 'Ciudad'),
    'place.region': text('State or region', 'Estado, provincia o región'),
    'place.postcode': text('ZIP or postal code', 'Código postal'),
    'place.country': text('Country', 'País'),
    'place.latitude': text('Latitude', 'Latitud'),
    'place.longitude': text('Longitude', 'Longitud'),
    'staff.microchip': text('Microchip', 'Microchip'),
    'staff.intakeDate': text('Intake date', 'Fecha de ingreso'),
    'staff.intakeKind': text('Intake type', 'Tipo de ingreso'),
    'staff.intakeNote': text('Intake notes', 'Notas sobre el ingreso'),
    'staff.kennel': text('Kennel', 'Jaula'),
    'staff.notes': text('Staff notes', 'Notas del personal'),
    'staff.holdReason': text('On hold because', 'Retenido porque'),
    'staff.fosterName': text('Foster home', 'Casa de acogida'),
    'staff.fosterEmail': text('Foster e-mail', 'Correo de la casa de acogida'),
    'staff.fosterPhone': text('Foster phone', 'Teléfono de la casa de acogida'),
    'staff.outcomeKind': text('Outcome', 'Salida'),
    'staff.outcomeDate': text('Outcome date', 'Fecha de salida'),
    'staff.outcomeNote': text('Outcome notes', 'Notas sobre la salida'),
    status: text('Status', 'Estado'),
    photos: text('Photos', 'Fotos'),
  } as Words,
  hints: {
    externalId: text('Shown to everyone', 'Visible para todo el mundo'),
    species: text(
      'More specific than the type, e.g. Guinea Pig',
      'Más precisa que el tipo, p. ej. conejillo de Indias',
    ),
    typedAge: text('e.g. about 3 years, or 8 weeks', 'p. ej. unos 3 años, u 8 semanas'),
    age: text('Only if neither date nor age is known', 'Solo si no se conocen ni la fecha ni la edad'),
    colors: text('Up to 3, separated by commas', 'Hasta 3, separados por comas'),
    weightGrams: text(
      'e.g. 60 lb or 27 kg. Without a unit, kilograms',
      'p. ej. 27 kg o 60 lb. Sin unidad, kilogramos',
    ),
    videos: text(
      'Web addresses that start with https://, one per line',
      'Direcciones web que empiecen con https://, una por línea',
    ),
    description: text(
      'What is this animal like? What home would be a good match?',
      '¿Cómo es este animal? ¿Qué hogar le convendría?',
    ),
    tags: text('Separate with commas', 'Sepárelas con comas'),
    bondedWith: text(
      'Names, shelter IDs or numbers of up to 5 animals. Separate with commas',
      'Nombres, n.º del refugio o números de hasta 5 animales. Sepárelos con comas',
    ),
    'fee.currency': text('e.g. USD or EUR', 'p. ej. USD o EUR'),
    'place.country': text(
      'Its name or code, e.g. United States or US',
      'Su nombre o código, p. ej. Estados Unidos o US',
    ),
    'place.latitude': text(
      'Found automatically from the postal code or city',
      'Se calcula a partir del código postal o de la ciudad',
    ),
    'staff.intakeKind': text('e.g. stray, surrender, transfer', 'p. ej. callejero, entrega, traslado'),
    'staff.holdReason': text(
      'An animal on hold is not published. Leave empty if not on hold',
      'Un animal retenido no se publica. Déjelo vacío si no está retenido',
    ),
    'staff.fosterName': text('Leave empty if not in foster care', 'Déjelo vacío si no está en acogida'),
    'contact.name': text('Shown to everyone', 'Visible para todo el mundo'),
  } as Words,
  choose: text('Choose', 'Elija'),
  none: text('None', 'Sin asignar'),
  notKnown: text('Not known', 'No se sabe'),
  yes: text('Yes', 'Sí'),
  no: text('No', 'No'),
  coat: COATS,
  /** Why a field was refused, by the kind of the field. */
  problems: {
    missing: (label: string) => text(`${label} is required.`, `Rellene este campo: ${label}.`),
    tooLong: (label: string, max: number) =>
      text(
        `${label} can have up to ${max.toLocaleString('en')} characters.`,
        `${label}: hasta ${max.toLocaleString('es')} caracteres.`,
      ),
    line: (label: string) =>
      text(
        `${label} has characters that cannot be saved. Remove them.`,
        `${label}: hay caracteres que no se pueden guardar. Quítelos.`,
      ),
    choice: (label: string) =>
      text(`${label}: choose an option from the list.`, `${label}: elija una opción de la lista.`),
    date: (label: string) =>
      text(
        `${label} must be a valid date from 1950 to today.`,
        `${label}: escriba una fecha válida entre 1950 y hoy.`,
      ),
    intakeDate: (label: string) =>
      text(
        `${label} must be a date from 1950 to a year from today.`,
        `${label}: escriba una fecha entre 1950 y dentro de un año.`,
      ),
    number: (label: string) =>
      text(
        `${label} must be a number within the possible range.`,
        `${label}: escriba un número dentro del rango posible.`,
      ),
    list: (label: string) =>
      text(
        `${label}: enter each word only once. Use fewer or shorter words.`,
        `${label}: escriba cada palabra una sola vez. Use menos palabras o más cortas.`,
      ),
    videos: (label: string) =>
      text(
        `${label}: enter up to 5 web addresses that start with https://.`,
        `${label}: escriba hasta 5 direcciones web que empiecen con https://.`,
      ),
    web: (label: string) =>
      text(
        `${label} must be a web address that starts with https://.`,
        `${label}: escriba una dirección web que empiece con https://.`,
      ),
    account: (label: string) =>
      text(
        `${label}: enter the name of the account, e.g. @harbour, or its web address.`,
        `${label}: escriba el nombre de la cuenta, p. ej. @refugio, o su dirección web.`,
      ),
    email: (label: string) =>
      text(
        `${label} must be an e-mail address, e.g. ana@shelter.example.`,
        `${label}: escriba una dirección de correo, p. ej. ana@refugio.example.`,
      ),
    country: (label: string) =>
      text(
        `${label}: enter its name, e.g. Germany, or its code, e.g. DE.`,
        `${label}: escriba su nombre, p. ej. España, o su código, p. ej. ES.`,
      ),
    currency: (label: string) =>
      text(
        `${label} must be a code of three letters, e.g. USD or EUR.`,
        `${label}: escriba un código de tres letras, p. ej. USD o EUR.`,
      ),
    typedAge: (label: string) =>
      text(
        `${label}: enter an age with its unit, e.g. 3 years or 8 weeks, and no date of birth.`,
        `${label}: escriba una edad con su unidad, p. ej. 3 años u 8 semanas, y ninguna fecha de nacimiento.`,
      ),
    age: (label: string) =>
      text(
        `${label} follows from the date of birth. Clear one of the two.`,
        `${label}: se deduce de la fecha de nacimiento. Vacíe uno de los dos campos.`,
      ),
    bond: (label: string) =>
      text(
        `${label}: enter up to 5 animals of the same organization that are not adopted together with others. If several animals have a name, enter the shelter ID.`,
        `${label}: escriba hasta 5 animales de la misma organización que no se adopten junto con otros. Si varios tienen el mismo nombre, escriba el n.º del refugio.`,
      ),
    taken: (label: string) =>
      text(
        `${label}: another animal already has this one. Enter a different one.`,
        `${label}: otro animal ya lo tiene. Escriba uno distinto.`,
      ),
  },
}
