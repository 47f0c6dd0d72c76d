import type { RefusalCode } from '../../../transfer/report.ts'
import { REASON_HEADINGS } from '../../../transfer/table.ts'
import { NOTES, REASONS } from './import-notes.ts'

type Sentence = (value: string) => string
type FieldSentence = (label: string, value: string, options: readonly string[]) => string

const EN_OR = new Intl.ListFormat('en', { type: 'disjunction' })
const ES_OR = new Intl.ListFormat('es', { type: 'disjunction' })

/** The import of a file. */
const en = {
  title: 'Import animals',
  lead: 'Add animals from a spreadsheet or from another program. You see a preview first: nothing changes until you confirm.',
  file: 'File',
  fileHint: 'CSV, JSON or NDJSON, up to 10 MB',
  from: 'Where the file comes from',
  ownForm: 'My own spreadsheet, or an export of adoptable',
  category: 'Type to use when missing',
  categoryHint:
    'For animals whose type is missing or not recognized. If you choose “None”, they are skipped.',
  organization: 'Organization to use when missing',
  currency: 'Currency of adoption fees',
  keep: 'Leave animals that are already here unchanged',
  dates: {
    label: 'Dates like 03/04/2026',
    choices: [
      ['', 'Like the other dates'],
      ['yes', 'Day first: 3 April'],
      ['no', 'Month first: March 4'],
    ] as [value: string, label: string][],
  },
  pounds: 'Weights without a unit are in pounds',
  preview: 'Preview',
  noFile: 'Choose a file first.',
  gone: 'The uploaded file is no longer available. Upload it again.',
  previewTitle: 'Import preview',
  previewLead: 'Nothing has changed yet. Check the numbers and examples below, then import.',
  questionLead: 'Nothing has changed yet. Answer the question, then see the preview.',
  failedLead: 'Nothing has changed. The file cannot be imported like this.',
  confirm: (count: number) =>
    count === 1 ? 'Import 1 animal' : `Import ${count.toLocaleString('en')} animals`,
  another: 'Choose another file',
  running: 'The import is running. It continues even if you leave this page. The result appears below.',
  soFar: (count: string) => `${count} lines so far`,
  resultTitle: 'Import finished',
  toList: 'View animals',
  figures: { added: 'added', updated: 'updated', unchanged: 'unchanged', refused: 'skipped' },
  lostBonds: (count: number) =>
    `Animals not published, because a partner that must be adopted with them is missing or on hold: ${count.toLocaleString('en')}.`,
  takenOff: (count: number) =>
    `Animals no longer published, because of their status in the file: ${count.toLocaleString('en')}.`,
  withdrawn: (count: number) =>
    `Answers removed, such as “good with children”, because the file no longer confirms them: ${count.toLocaleString('en')}.`,
  examples: 'Examples from the file',
  about: (day: string) => `around ${day}`,
  statuses: {
    title: 'Statuses in the file',
    lead: 'Choose what each status means.',
    result:
      'An animal is published only if its status clearly says that it is available or reserved by an adopter.',
    animals: (count: number) => (count === 1 ? '1 animal' : `${count.toLocaleString('en')} animals`),
    unknown: 'Not recognized',
    none: '(no status)',
    died: 'Skipped: has died',
  },
  refused: 'Skipped rows',
  refusedLead:
    'Everything else can be imported now. Correct these rows in the downloaded file and upload it, or upload your whole file again: animals that are already here are recognized.',
  download: 'Download skipped rows',
  line: 'Line',
  name: 'Name',
  why: REASON_HEADINGS.en,
  more: (count: number) => `And ${count.toLocaleString('en')} more.`,
  check: 'Please check',
  repeatedIds: (count: number) =>
    count === 1
      ? 'An animal has two rows with the same ID. Only the newest row is imported.'
      : `Some animals have several rows with the same ID. Only the newest is imported; ${count.toLocaleString('en')} older rows are not.`,
  /** A link to the other animal may follow. */
  sameChip: (line: number, other: number | undefined) =>
    other === undefined
      ? `The animal on line ${line} has the same microchip as`
      : `The animals on lines ${other} and ${line} have the same microchip.`,
  otherAnimal: (id: number) => `animal ${id}`,
  notes: NOTES.en,
  leftOut: 'Data that is not imported',
  questions: {
    title: 'One question first',
    date: (text: string) => `What date is “${text}” in your file?`,
    word: 'Which of these words looks right?',
  },
  /** Why a line or a file is not imported. */
  refusals: {
    /** Keyed by the refusal's `code`. */
    reasons: {
      unknown_kind: (value) =>
        `“${value}” is not a known type. Upload the file again and choose a “Type to use when missing”.`,
      no_kind: () =>
        'The file does not say what type of animal this is. Upload the file again and choose a “Type to use when missing”.',
      unknown_organization_code: (value) =>
        `No organization has the code “${value}”. Correct the code in the file.`,
      known_before: (value) => `This animal is already here, as animal ${value}, and stays unchanged.`,
      moved_away: () =>
        'This animal was already imported. It now belongs to another organization, or to none.',
      repeated_id: (value) => `Line ${value} has the same ID but another name, so this line is not imported.`,
      other_animal: (value) =>
        `This ID belongs to a different animal here (animal ${value}), which stays as it is. If the file comes from another shelter, upload it again and choose that organization.`,
      not_for_adoption: (value) =>
        `According to the file, this animal is not for adoption, but animal ${value} has an open adoption. Cancel it, then import the file again.`,
      bond_lacking: (value) =>
        `This animal is not published, because animals to be adopted together with it were not imported: ${value}.`,
      bond_unclear: (value) =>
        `This animal is not published, because several animals have the name of its partner: ${value}. Write the partner's ID instead.`,
      bond_unnamed: () => 'This animal is not published, because the file does not name its partner.',
      bond_lost: (value) => `It was not imported, so its partners are not published: ${value}.`,
      bond_held: (value) => `This bond is not published, because of an animal on hold: ${value}.`,
      no_source_id: () => 'The ID column is empty in this row, or has more than 200 characters.',
      not_utf8: () => 'Some characters cannot be read. Save the file again as CSV UTF-8.',
      other_cells: () => 'This row has more cells than the header row.',
      line_too_long: () => 'This row is too long. Check that it describes only one animal.',
      too_many_values: (value) => `This row has more than ${value} cells, members or items.`,
      not_csv: () => 'A quotation mark is missing in this row. Save the spreadsheet as CSV again.',
      own_ids: () =>
        'The animals in this file are already here, with the same numbers. Importing would add each of them again, so nothing was changed.',
      other_program: () =>
        'This looks like an export of another program. Choose that program under “Where the file comes from”.',
      other_format: (value) =>
        `The content of the file does not match its name. Rename the file: its name must end in .${value}.`,
      missing_column: (value) =>
        `Required columns are missing: ${value}. Check what you chose under “Where the file comes from”.`,
      column_case: (value) =>
        `One heading differs from “${value}” only in case or spaces. Rename that column to “${value}”.`,
      not_json: () => 'The file is not valid JSON. Export it from the other program again.',
      no_object: () => 'This is not an animal: each animal must be a JSON object.',
      column_twice: (value) => `Two columns have the heading “${value}”. Rename one of them.`,
      open_quote: (value) =>
        `On line ${value}, a quotation mark opens a cell but is never closed. Correct that line.`,
      compressed: () => 'The file is compressed. Unpack it first, then upload what it contains.',
      workbook: () =>
        'The file is a workbook or an archive. Save the sheet as CSV UTF-8 and upload that file.',
      unknown_status: (value) => `The status “${value}” is not recognized.`,
      has_died: () => 'This animal has died.',
      never_sheltered: () => 'This animal was never in the shelter.',
      has_left: () => 'This animal left the shelter without being adopted.',
      unclear_dates: (value) =>
        `The dates in this file, such as “${value}”, can be read with the day or the month first.`,
      unclear_encoding: () => 'It is not clear which letters the file contains.',
      shortened_id: (value) =>
        `A spreadsheet program shortened the ID “${value}”. Format that column as text.`,
      mixed_encoding: () =>
        'Some lines of the file are UTF-8 and others are not. Save it again as CSV UTF-8.',
    } satisfies Record<RefusalCode, Sentence> as Record<RefusalCode, Sentence>,
    /**
     * Messages for a field with an invalid text, by the kind of the field. `options` are the accepted words.
     */
    fields: {
      choice: (label, value, options) =>
        `${label}: “${value}” is not recognized. Use ${EN_OR.format(options)}.`,
      yesOrNo: (label, value) => `${label}: “${value}” is not recognized. Use yes or no.`,
      check: (label, value) => `${label}: “${value}” is not recognized. Use yes or no.`,
      date: (label, value) =>
        `${label}: “${value}” is not a valid date from 1950 to today. Write it like 2023-12-31.`,
      dayFirst: (label, value) =>
        `${label}: “${value}” starts with the day. Upload the file again and choose “Day first”.`,
      number: (label, value) => `${label}: “${value}” is not a number within the possible range.`,
      kilograms: (label, value) =>
        `${label}: “${value}” is not a valid weight. Write it like 4.5 kg or 10 lb.`,
      money: (label, value) => `${label}: “${value}” is not a valid amount. Write it like 150 or 99.50.`,
    } as Record<string, FieldSentence>,
    exactAlone: 'This row says whether the date of birth is exact, but has no date of birth.',
    left: REASONS.en,
    onLine: (value: string, line: number) => `“${value}” on line ${line}`,
    /** Follows the message about a field of any other kind. */
    found: (value: string) => `The file has “${value}”.`,
  },
  columns: {
    title: 'Columns of your file',
    lead: 'Choose what each column contains, then preview again.',
    leave: 'Don’t import',
    example: (text: string) => `e.g. ${text}`,
    position: (number: number) => `Column ${number}`,
    more: (count: number) => `${count.toLocaleString('en')} more columns are not imported.`,
    id: 'ID column',
    idHint:
      'For example, the animal’s number in the other program. With an ID column, the next import updates these animals. Without one, it recognizes only rows that have not changed.',
    idNone: 'None',
    source: 'Name of this list',
    sourceHint: 'Use the same name for the next import. The same ID in another list means another animal.',
    show: 'Preview again',
    problems: {
      title: 'Please fix the following',
      taken: (label: string) => `${label}: you chose this for two columns. Choose it for only one.`,
      source: 'Enter a name for the list, with 1 to 100 characters.',
      noName: 'Choose the column that contains the animals’ names, or their numbers.',
    },
    /** Labels that differ from those in the form of an animal. */
    labels: {
      age: 'Age group: baby, young, adult or senior',
      birthDateExact: 'Date of birth is exact',
      'notGoodWith.children': 'Not good with children',
      'notGoodWith.dogs': 'Not good with dogs',
      'notGoodWith.cats': 'Not good with cats',
      organization: 'Organization code',
      weightGrams: 'Weight',
    } as Record<string, string>,
  },
}

const es: typeof en = {
  title: 'Importar animales',
  lead: 'Añada animales desde una hoja de cálculo o desde otro programa. Primero verá una vista previa: nada cambia hasta que lo confirme.',
  file: 'Archivo',
  fileHint: 'CSV, JSON o NDJSON, hasta 10 MB',
  from: 'De dónde viene el archivo',
  ownForm: 'Mi hoja de cálculo, o una exportación de adoptable',
  category: 'Tipo que usar cuando falte',
  categoryHint:
    'Para los animales sin tipo o con un tipo que no se reconoce. Si elige «Sin asignar», se omiten.',
  organization: 'Organización que usar cuando falte',
  currency: 'Moneda de las cuotas de adopción',
  keep: 'Dejar sin cambios los animales que ya están aquí',
  dates: {
    label: 'Fechas como 03/04/2026',
    choices: [
      ['', 'Como las demás fechas'],
      ['yes', 'Primero el día: 3 de abril'],
      ['no', 'Primero el mes: 4 de marzo'],
    ],
  },
  pounds: 'Los pesos sin unidad están en libras',
  preview: 'Vista previa',
  noFile: 'Elija primero un archivo.',
  gone: 'El archivo subido ya no está disponible. Súbalo de nuevo.',
  previewTitle: 'Vista previa de la importación',
  previewLead: 'Todavía no ha cambiado nada. Compruebe las cifras y los ejemplos, y luego importe.',
  questionLead: 'Todavía no ha cambiado nada. Responda a la pregunta y después vea la vista previa.',
  failedLead: 'No ha cambiado nada. El archivo no se puede importar así.',
  confirm: (count) => (count === 1 ? 'Importar 1 animal' : `Importar ${count.toLocaleString('es')} animales`),
  another: 'Elegir otro archivo',
  running:
    'La importación está en curso. Continúa aunque salga de esta página. El resultado aparecerá más abajo.',
  soFar: (count) => `${count} líneas hasta ahora`,
  resultTitle: 'Importación terminada',
  toList: 'Ver los animales',
  figures: { added: 'añadidos', updated: 'actualizados', unchanged: 'sin cambios', refused: 'omitidos' },
  lostBonds: (count) =>
    `Animales que no se publican, porque otro que debe adoptarse junto con ellos falta o no está en adopción: ${count.toLocaleString('es')}.`,
  takenOff: (count) =>
    `Animales que ya no se publican, por su estado en el archivo: ${count.toLocaleString('es')}.`,
  withdrawn: (count) =>
    `Datos eliminados, como «se lleva bien con niños», porque el archivo ya no los confirma: ${count.toLocaleString('es')}.`,
  examples: 'Ejemplos del archivo',
  about: (day) => `hacia el ${day}`,
  statuses: {
    title: 'Estados en el archivo',
    lead: 'Elija qué significa cada estado.',
    result:
      'Un animal solo se publica si su estado dice claramente que está disponible o reservado por un adoptante.',
    animals: (count) => (count === 1 ? '1 animal' : `${count.toLocaleString('es')} animales`),
    unknown: 'No se reconoce',
    none: '(sin estado)',
    died: 'Omitido: murió',
  },
  refused: 'Filas omitidas',
  refusedLead:
    'Todo lo demás se puede importar ya. Corrija estas filas en el archivo descargado y súbalo, o suba de nuevo su archivo completo: los animales que ya están aquí se reconocen.',
  download: 'Descargar las filas omitidas',
  line: 'Línea',
  name: 'Nombre',
  why: REASON_HEADINGS.es,
  more: (count) => `Y ${count.toLocaleString('es')} más.`,
  check: 'Compruebe esto',
  repeatedIds: (count) =>
    count === 1
      ? 'Un animal tiene dos filas con el mismo identificador. Solo se importa la más reciente.'
      : `Algunos animales tienen varias filas con el mismo identificador. Solo se importa la más reciente; ${count.toLocaleString('es')} filas anteriores, no.`,
  sameChip: (line, other) =>
    other === undefined
      ? `El animal de la línea ${line} tiene el mismo microchip que`
      : `Los animales de las líneas ${other} y ${line} tienen el mismo microchip.`,
  otherAnimal: (id) => `el animal ${id}`,
  notes: NOTES.es,
  leftOut: 'Datos que no se importan',
  questions: {
    title: 'Antes, una pregunta',
    date: (text) => `¿Qué fecha es «${text}» en su archivo?`,
    word: '¿Cuál de estas palabras se ve bien?',
  },
  refusals: {
    reasons: {
      unknown_kind: (value) =>
        `«${value}» no es un tipo conocido. Suba el archivo de nuevo y elija un «Tipo que usar cuando falte».`,
      no_kind: () =>
        'El archivo no dice de qué tipo es este animal. Suba el archivo de nuevo y elija un «Tipo que usar cuando falte».',
      unknown_organization_code: (value) =>
        `Ninguna organización tiene el código «${value}». Corrija el código en el archivo.`,
      known_before: (value) => `Este animal ya está aquí: es el animal ${value}, y queda sin cambios.`,
      moved_away: () => 'Este animal ya se importó. Ahora pertenece a otra organización o a ninguna.',
      repeated_id: (value) => `La línea ${value} tiene el mismo identificador y otro nombre: esta se omite.`,
      other_animal: (value) =>
        `Este identificador pertenece aquí a otro animal (el animal ${value}), que queda como está. Si el archivo viene de otra protectora, súbalo de nuevo y elija esa organización.`,
      not_for_adoption: (value) =>
        `Según el archivo, este animal no está en adopción, pero el animal ${value} tiene una adopción abierta. Cancélela y vuelva a importar el archivo.`,
      bond_lacking: (value) =>
        `Este animal no se publica, porque no se importaron animales que deben adoptarse junto con él: ${value}.`,
      bond_unclear: (value) =>
        `Este animal no se publica, porque varios animales tienen el nombre de su compañero: ${value}. Escriba el identificador del compañero.`,
      bond_unnamed: () => 'Este animal no se publica, porque el archivo no nombra a su compañero.',
      bond_lost: (value) => `No se importó, así que sus compañeros no se publican: ${value}.`,
      bond_held: (value) => `Este vínculo no se publica por un animal que no está en adopción: ${value}.`,
      no_source_id: () => 'El identificador de esta fila está vacío o tiene más de 200 caracteres.',
      not_utf8: () => 'Hay caracteres que no se pueden leer. Guarde el archivo de nuevo como CSV UTF-8.',
      other_cells: () => 'Esta fila tiene más celdas que la fila de encabezados.',
      line_too_long: () => 'Esta fila es demasiado larga. Compruebe que describe un solo animal.',
      too_many_values: (value) => `Esta fila tiene más de ${value} celdas, miembros o elementos.`,
      not_csv: () => 'En esta fila faltan comillas. Guarde la hoja de nuevo como CSV.',
      own_ids: () =>
        'Los animales de este archivo ya están aquí, con los mismos números. La importación añadiría cada uno otra vez, así que no se cambió nada.',
      other_program: () =>
        'Parece una exportación de otro programa. Elija ese programa en «De dónde viene el archivo».',
      other_format: (value) =>
        `El contenido del archivo no corresponde a su nombre. Cámbiele el nombre para que termine en .${value}.`,
      missing_column: (value) =>
        `Faltan columnas obligatorias: ${value}. Revise lo que eligió en «De dónde viene el archivo».`,
      column_case: (value) =>
        `Un encabezado solo se diferencia de «${value}» en las mayúsculas o los espacios. Cambie el nombre de esa columna a «${value}».`,
      not_json: () => 'El archivo no es JSON válido. Expórtelo de nuevo desde el otro programa.',
      no_object: () => 'Esto no es un animal: cada animal debe ser un objeto JSON.',
      column_twice: (value) => `Dos columnas tienen el encabezado «${value}». Cambie el nombre de una.`,
      open_quote: (value) =>
        `En la línea ${value}, unas comillas abren una celda y ninguna la cierra. Corrija esa línea.`,
      compressed: () => 'El archivo está comprimido. Descomprímalo y suba su contenido.',
      workbook: () =>
        'El archivo es un libro de cálculo o un archivo comprimido. Guarde la hoja como CSV UTF-8 y suba ese archivo.',
      unknown_status: (value) => `El estado «${value}» no se reconoce.`,
      has_died: () => 'Este animal murió.',
      never_sheltered: () => 'Este animal nunca estuvo en el refugio.',
      has_left: () => 'Este animal salió del refugio sin ser adoptado.',
      unclear_dates: (value) =>
        `En las fechas de este archivo, como «${value}», el día o el mes puede ir primero.`,
      unclear_encoding: () => 'No está claro qué letras contiene el archivo.',
      shortened_id: (value) =>
        `Un programa de hojas de cálculo acortó el identificador «${value}». Dé a esa columna el formato de texto.`,
      mixed_encoding: () =>
        'Algunas líneas del archivo están en UTF-8 y otras no. Guárdelo de nuevo como CSV UTF-8.',
    },
    fields: {
      choice: (label, value, options) => `${label}: «${value}» no se reconoce. Use ${ES_OR.format(options)}.`,
      yesOrNo: (label, value) => `${label}: «${value}» no se reconoce. Use sí o no.`,
      check: (label, value) => `${label}: «${value}» no se reconoce. Use sí o no.`,
      date: (label, value) =>
        `${label}: «${value}» no es una fecha válida entre 1950 y hoy. Escríbala así: 2023-12-31.`,
      dayFirst: (label, value) =>
        `${label}: «${value}» empieza con el día. Suba el archivo de nuevo y elija «Primero el día».`,
      number: (label, value) => `${label}: «${value}» no es un número dentro del rango posible.`,
      kilograms: (label, value) =>
        `${label}: «${value}» no es un peso válido. Escríbalo así: 4.5 kg o 10 lb.`,
      money: (label, value) => `${label}: «${value}» no es un importe válido. Escríbalo así: 150 o 99.50.`,
    },
    exactAlone: 'Esta fila dice si la fecha de nacimiento es exacta, pero no tiene fecha de nacimiento.',
    left: REASONS.es,
    onLine: (value, line) => `«${value}» en la línea ${line}`,
    found: (value) => `El archivo tiene «${value}».`,
  },
  columns: {
    title: 'Columnas de su archivo',
    lead: 'Elija qué contiene cada columna y vuelva a ver la vista previa.',
    leave: 'No importar',
    example: (text) => `p. ej. ${text}`,
    position: (number) => `Columna ${number}`,
    more: (count) => `Otras ${count.toLocaleString('es')} columnas no se importan.`,
    id: 'Columna de identificador',
    idHint:
      'Por ejemplo, el número del animal en el otro programa. Con ella, la próxima importación actualiza estos animales. Sin ella, solo reconoce las filas que no han cambiado.',
    idNone: 'Ninguna',
    source: 'Nombre de esta lista',
    sourceHint:
      'Use el mismo nombre en la próxima importación. El mismo identificador en otra lista es otro animal.',
    show: 'Actualizar la vista previa',
    problems: {
      title: 'Corrija lo siguiente',
      taken: (label) => `${label}: eligió esto para dos columnas. Elíjalo solo para una.`,
      source: 'Escriba un nombre para la lista, de 1 a 100 caracteres.',
      noName: 'Elija la columna que contiene los nombres de los animales, o sus números.',
    },
    labels: {
      age: 'Grupo de edad: cachorro, joven, adulto o mayor',
      birthDateExact: 'La fecha de nacimiento es exacta',
      'notGoodWith.children': 'No se lleva bien con niños',
      'notGoodWith.dogs': 'No se lleva bien con perros',
      'notGoodWith.cats': 'No se lleva bien con gatos',
      organization: 'Código de la organización',
      weightGrams: 'Peso',
    },
  },
}

export const importWords = { en, es }
