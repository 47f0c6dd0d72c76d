import { text, type Words } from '../../../http/language.ts'
import { REASON_HEADINGS } from '../../../transfer/table.ts'
import { FIELD_PROBLEMS, NOTES, REASONS, REFUSALS } from './import-report.ts'

/** The import of a file. */
export const importWords = {
  title: text('Import animals', 'Importar animales'),
  lead: text(
    'Add animals from a spreadsheet or from another program. You see a preview first: nothing changes until you confirm.',
    'Añada animales desde una hoja de cálculo o desde otro programa. Primero verá una vista previa: nada cambia hasta que lo confirme.',
  ),
  file: text('File', 'Archivo'),
  fileHint: text('CSV, JSON or NDJSON, up to 10 MB', 'CSV, JSON o NDJSON, hasta 10 MB'),
  from: text('Where the file comes from', 'De dónde viene el archivo'),
  ownForm: text(
    'My own spreadsheet, or an export of adoptable',
    'Mi hoja de cálculo, o una exportación de adoptable',
  ),
  category: text('Type to use when missing', 'Tipo que usar cuando falte'),
  categoryHint: text(
    'For animals whose type is missing or not recognized. If you choose “None”, they are skipped.',
    'Para los animales sin tipo o con un tipo que no se reconoce. Si elige «Sin asignar», se omiten.',
  ),
  organization: text('Organization to use when missing', 'Organización que usar cuando falte'),
  currency: text('Currency of adoption fees', 'Moneda de las cuotas de adopción'),
  keep: text(
    'Leave animals that are already here unchanged',
    'Dejar sin cambios los animales que ya están aquí',
  ),
  dates: {
    label: text('Dates like 03/04/2026', 'Fechas como 03/04/2026'),
    choices: text(
      [
        ['', 'Like the other dates'],
        ['yes', 'Day first: 3 April'],
        ['no', 'Month first: March 4'],
      ] as [value: string, label: string][],
      [
        ['', 'Como las demás fechas'],
        ['yes', 'Primero el día: 3 de abril'],
        ['no', 'Primero el mes: 4 de marzo'],
      ],
    ),
  },
  pounds: text('Weights without a unit are in pounds', 'Los pesos sin unidad están en libras'),
  preview: text('Preview', 'Vista previa'),
  noFile: text('Choose a file first.', 'Elija primero un archivo.'),
  gone: text(
    'The uploaded file is no longer available. Upload it again.',
    'El archivo subido ya no está disponible. Súbalo de nuevo.',
  ),
  previewTitle: text('Import preview', 'Vista previa de la importación'),
  previewLead: text(
    'Nothing has changed yet. Check the numbers and examples below, then import.',
    'Todavía no ha cambiado nada. Compruebe las cifras y los ejemplos, y luego importe.',
  ),
  questionLead: text(
    'Nothing has changed yet. Answer the question, then see the preview.',
    'Todavía no ha cambiado nada. Responda a la pregunta y después vea la vista previa.',
  ),
  failedLead: text(
    'Nothing has changed. The file cannot be imported like this.',
    'No ha cambiado nada. El archivo no se puede importar así.',
  ),
  confirm: (count: number) =>
    text(
      count === 1 ? 'Import 1 animal' : `Import ${count.toLocaleString('en')} animals`,
      count === 1 ? 'Importar 1 animal' : `Importar ${count.toLocaleString('es')} animales`,
    ),
  another: text('Choose another file', 'Elegir otro archivo'),
  running: text(
    'The import is running. It continues even if you leave this page. The result appears below.',
    'La importación está en curso. Continúa aunque salga de esta página. El resultado aparecerá más abajo.',
  ),
  soFar: (count: string) => text(`${count} lines so far`, `${count} líneas hasta ahora`),
  resultTitle: text('Import finished', 'Importación terminada'),
  toList: text('View animals', 'Ver los animales'),
  figures: {
    added: text('added', 'añadidos'),
    updated: text('updated', 'actualizados'),
    unchanged: text('unchanged', 'sin cambios'),
    refused: text('skipped', 'omitidos'),
  },
  lostBonds: (count: number) =>
    text(
      `Animals not published, because a partner that must be adopted with them is missing or on hold: ${count.toLocaleString('en')}.`,
      `Animales que no se publican, porque otro que debe adoptarse junto con ellos falta o no está en adopción: ${count.toLocaleString('es')}.`,
    ),
  takenOff: (count: number) =>
    text(
      `Animals no longer published, because of their status in the file: ${count.toLocaleString('en')}.`,
      `Animales que ya no se publican, por su estado en el archivo: ${count.toLocaleString('es')}.`,
    ),
  withdrawn: (count: number) =>
    text(
      `Answers removed, such as “good with children”, because the file no longer confirms them: ${count.toLocaleString('en')}.`,
      `Datos eliminados, como «se lleva bien con niños», porque el archivo ya no los confirma: ${count.toLocaleString('es')}.`,
    ),
  examples: text('Examples from the file', 'Ejemplos del archivo'),
  about: (day: string) => text(`around ${day}`, `hacia el ${day}`),
  statuses: {
    title: text('Statuses in the file', 'Estados en el archivo'),
    lead: text('Choose what each status means.', 'Elija qué significa cada estado.'),
    result: text(
      'An animal is published only if its status clearly says that it is available or reserved by an adopter.',
      'Un animal solo se publica si su estado dice claramente que está disponible o reservado por un adoptante.',
    ),
    animals: (count: number) =>
      text(
        count === 1 ? '1 animal' : `${count.toLocaleString('en')} animals`,
        count === 1 ? '1 animal' : `${count.toLocaleString('es')} animales`,
      ),
    unknown: text('Not recognized', 'No se reconoce'),
    none: text('(no status)', '(sin estado)'),
    died: text('Skipped: has died', 'Omitido: murió'),
  },
  refused: text('Skipped rows', 'Filas omitidas'),
  refusedLead: text(
    'Everything else can be imported now. Correct these rows in the downloaded file and upload it, or upload your whole file again: animals that are already here are recognized.',
    'Todo lo demás se puede importar ya. Corrija estas filas en el archivo descargado y súbalo, o suba de nuevo su archivo completo: los animales que ya están aquí se reconocen.',
  ),
  download: text('Download skipped rows', 'Descargar las filas omitidas'),
  line: text('Line', 'Línea'),
  name: text('Name', 'Nombre'),
  why: text(REASON_HEADINGS.en, REASON_HEADINGS.es),
  more: (count: number) =>
    text(`And ${count.toLocaleString('en')} more.`, `Y ${count.toLocaleString('es')} más.`),
  check: text('Please check', 'Compruebe esto'),
  repeatedIds: (count: number) =>
    text(
      count === 1
        ? 'An animal has two rows with the same ID. Only the newest row is imported.'
        : `Some animals have several rows with the same ID. Only the newest is imported; ${count.toLocaleString('en')} older rows are not.`,
      count === 1
        ? 'Un animal tiene dos filas con el mismo identificador. Solo se importa la más reciente.'
        : `Algunos animales tienen varias filas con el mismo identificador. Solo se importa la más reciente; ${count.toLocaleString('es')} filas anteriores, no.`,
    ),
  /** A link to the other animal may follow. */
  sameChip: (line: number, other: number | undefined) =>
    text(
      other === undefined
        ? `The animal on line ${line} has the same microchip as`
        : `The animals on lines ${other} and ${line} have the same microchip.`,
      other === undefined
        ? `El animal de la línea ${line} tiene el mismo microchip que`
        : `Los animales de las líneas ${other} y ${line} tienen el mismo microchip.`,
    ),
  otherAnimal: (id: number) => text(`animal ${id}`, `el animal ${id}`),
  notes: NOTES,
  leftOut: text('Data that is not imported', 'Datos que no se importan'),
  questions: {
    title: text('One question first', 'Antes, una pregunta'),
    date: (example: string) =>
      text(`What date is “${example}” in your file?`, `¿Qué fecha es «${example}» en su archivo?`),
    word: text('Which of these words looks right?', '¿Cuál de estas palabras se ve bien?'),
  },
  /** Why a line or a file is not imported. */
  refusals: {
    reasons: REFUSALS,
    fields: FIELD_PROBLEMS,
    exactAlone: text(
      'This row says whether the date of birth is exact, but has no date of birth.',
      'Esta fila dice si la fecha de nacimiento es exacta, pero no tiene fecha de nacimiento.',
    ),
    left: REASONS,
    onLine: (value: string, line: number) =>
      text(`“${value}” on line ${line}`, `«${value}» en la línea ${line}`),
    /** Follows the message about a field of any other kind. */
    found: (value: string) => text(`The file has “${value}”.`, `El archivo tiene «${value}».`),
  },
  columns: {
    title: text('Columns of your file', 'Columnas de su archivo'),
    lead: text(
      'Choose what each column contains, then preview again.',
      'Elija qué contiene cada columna y vuelva a ver la vista previa.',
    ),
    leave: text('Don’t import', 'No importar'),
    example: (example: string) => text(`e.g. ${example}`, `p. ej. ${example}`),
    position: (number: number) => text(`Column ${number}`, `Columna ${number}`),
    more: (count: number) =>
      text(
        `${count.toLocaleString('en')} more columns are not imported.`,
        `Otras ${count.toLocaleString('es')} columnas no se importan.`,
      ),
    id: text('ID column', 'Columna de identificador'),
    idHint: text(
      'For example, the animal’s number in the other program. With an ID column, the next import updates these animals. Without one, it recognizes only rows that have not changed.',
      'Por ejemplo, el número del animal en el otro programa. Con ella, la próxima importación actualiza estos animales. Sin ella, solo reconoce las filas que no han cambiado.',
    ),
    idNone: text('None', 'Ninguna'),
    source: text('Name of this list', 'Nombre de esta lista'),
    sourceHint: text(
      'Use the same name for the next import. The same ID in another list means another animal.',
      'Use el mismo nombre en la próxima importación. El mismo identificador en otra lista es otro animal.',
    ),
    show: text('Preview again', 'Actualizar la vista previa'),
    problems: {
      title: text('Please fix the following', 'Corrija lo siguiente'),
      taken: (label: string) =>
        text(
          `${label}: you chose this for two columns. Choose it for only one.`,
          `${label}: eligió esto para dos columnas. Elíjalo solo para una.`,
        ),
      source: text(
        'Enter a name for the list, with 1 to 100 characters.',
        'Escriba un nombre para la lista, de 1 a 100 caracteres.',
      ),
      noName: text(
        'Choose the column that contains the animals’ names, or their numbers.',
        'Elija la columna que contiene los nombres de los animales, o sus números.',
      ),
    },
    /** Labels that differ from those in the form of an animal. */
    labels: {
      age: text('Age group: baby, young, adult or senior', 'Grupo de edad: cachorro, joven, adulto o mayor'),
      birthDateExact: text('Date of birth is exact', 'La fecha de nacimiento es exacta'),
      'notGoodWith.children': text('Not good with children', 'No se lleva bien con niños'),
      'notGoodWith.dogs': text('Not good with dogs', 'No se lleva bien con perros'),
      'notGoodWith.cats': text('Not good with cats', 'No se lleva bien con gatos'),
      organization: text('Organization code', 'Código de la organización'),
      weightGrams: text('Weight', 'Peso'),
    } as Words,
  },
}
