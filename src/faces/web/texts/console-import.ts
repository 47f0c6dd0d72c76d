type Say = (value: string) => string
type SayOf = (label: string, value: string) => string

/** Words of the import. */
const en = {
  title: 'Import animals',
  lead: 'Bring in animals from another program or a table. First you see what would happen; nothing is changed until you say so.',
  file: 'File',
  fileHint: 'CSV, JSON or NDJSON, at most 10 MB',
  from: 'Where it comes from',
  ownForm: 'A table of your own, or an export of this service',
  category: 'Kind of animals whose own is not known',
  categoryHint: 'Others are refused',
  organization: 'Organization of animals that name none',
  currency: 'Currency of fees',
  update: 'Change animals that came before',
  dayFirst: 'Dates have the day first: 31/12/2026',
  pounds: 'Weights without a unit are pounds',
  preview: 'Show what would happen',
  noFile: 'Choose a file first.',
  gone: 'The file is not here any more. Upload it again.',
  previewTitle: 'This would happen',
  previewLead: 'Nothing is changed yet.',
  confirm: (count: number) => (count === 1 ? 'Import 1 animal' : `Import ${count} animals`),
  another: 'Choose another file',
  running: 'The import goes on, also when you leave this page. What comes of it is shown here.',
  soFar: (count: string) => `${count} lines so far`,
  resultTitle: 'The import is done',
  toList: 'See the animals',
  figures: { added: 'added', updated: 'changed', unchanged: 'as before', refused: 'refused' },
  examples: 'Such as these animals',
  about: (day: string) => `about ${day}`,
  refused: 'Lines that are refused',
  line: 'Line',
  why: 'Why',
  more: (count: number) => `And ${count} more.`,
  leftOut: 'What has no place here',
  /** Why a line or a file is not imported. */
  refusals: {
    /** By the code of the import. */
    reasons: {
      unknown_kind: (value) =>
        `No kind here is called “${value}”. Choose a kind for such animals where you upload the file.`,
      unknown_organization_code: (value) => `No organization has the code “${value}”.`,
      known_before: (value) =>
        `It was imported before: it is animal ${value}. Choose “Change animals that came before” where you upload the file to change it.`,
      moved_away: () => 'It was imported before, and belongs to another organization now, or to none.',
      not_for_adoption: (value) =>
        `It is not for adoption in the file, and animal ${value} has a status here. Change that one by hand.`,
      bond_lacking: (value) => `It is adopted together with animals that were not imported: ${value}.`,
      no_source_id: () =>
        'The column that tells the animals apart is empty here, or has more than 200 characters.',
      not_utf8: () => 'It has letters that cannot be read. Save the file again as CSV UTF-8.',
      other_cells: () => 'It has more or fewer cells than the line of headings.',
      line_too_long: () => 'It is too long to be an animal.',
      not_csv: () => 'A quotation mark in a cell is not written as CSV asks. Save the table as CSV again.',
      known_file: (value) => `This file was imported before, from animal ${value} on. Nothing was changed.`,
      own_ids: () =>
        'The animals of this file are here already, with the same numbers. Each would be added once more, so nothing was changed.',
      other_program: () =>
        'The file looks like an export of another program. Choose that one under “Where it comes from”.',
      other_format: (value) =>
        `What the file holds does not fit the end of its name. Let the name end with .${value}.`,
      missing_column: (value) =>
        `The file lacks a column that is needed: ${value}. Does it come from where you chose?`,
      column_case: (value) =>
        `A heading of the file is in other letters than it has to be: call that column “${value}”.`,
      not_json: () => 'It is no JSON that can be read. Export it from the other program again.',
      no_object: () => 'It is no animal: each has to stand in a JSON object of its own.',
      column_twice: (value) => `The file has two columns with the heading “${value}”. Rename one of them.`,
      open_quote: (value) => `In line ${value} a quotation mark begins a cell and none ends it.`,
      compressed: () => 'The file is compressed. Unpack it first.',
      workbook: () =>
        'The file is a workbook or an archive. Save the sheet as CSV UTF-8, and choose that file.',
      no_status: () => 'It has no status, so nobody knows whether it is for adoption.',
      unknown_status: (value) => `Its status “${value}” is none that is known here.`,
      has_died: () => 'It has died.',
      never_sheltered: () => 'It never was an animal of the shelter.',
      has_left: () => 'It has left the shelter without being adopted.',
      utf16: () => 'The file has an encoding that is not read here. Save it again as CSV UTF-8.',
    } as Record<string, Say>,
    /** Of a field with a text that is not understood, by the kind of the field. */
    fields: {
      choice: (label, value) => `${label}: “${value}” is no word that is known here.`,
      yesOrNo: (label, value) => `${label}: “${value}” is neither yes nor no.`,
      check: (label, value) => `${label}: “${value}” is neither yes nor no.`,
      date: (label, value) => `${label}: “${value}” is no day from 1950 to today, such as 2023-12-31.`,
      dayFirst: (label, value) =>
        `${label}: “${value}” has the day first. Choose “Dates have the day first” where you upload the file.`,
      number: (label, value) => `${label}: “${value}” is no number that is possible.`,
      kilograms: (label, value) => `${label}: “${value}” is no weight, such as 4.5 kg or 10 lb.`,
      money: (label, value) => `${label}: “${value}” is no amount, such as 150 or 99.50.`,
    } as Record<string, SayOf>,
    exactAlone: 'It says whether the birth date is exact, and has no birth date.',
    /** Behind a column of dates that were left out. */
    dayFirst: 'the day comes first',
    /** Behind what is said of a field of any other kind. */
    found: (value: string) => `The file has “${value}”.`,
  },
  columns: {
    title: 'Columns of your file',
    lead: 'Say what each column holds. Then look again at what would happen.',
    leave: 'Leave out',
    example: (text: string) => `Such as: ${text}`,
    position: (number: number) => `Column ${number}`,
    more: (count: number) => `${count} more columns are left out.`,
    id: 'Column that tells the animals apart',
    idHint:
      'Such as their number in the other program. The next import then changes these animals; without it, all are added again.',
    idNone: 'None',
    source: 'Name of this list',
    sourceHint: 'Give the same name at the next import: numbers of another list are other animals.',
    show: 'Show again what would happen',
    problems: {
      title: 'Please look at these again',
      taken: (label: string) => `${label}: another column holds this already. Choose one of the two.`,
      source: 'The name of the list needs 1 to 100 characters.',
      noName: 'Choose the column that holds the names.',
    },
    /** Where a table has it otherwise than the form of an animal. */
    labels: {
      age: 'Age: baby, young, adult or senior',
      birthDateExact: 'Birth date is exact',
      organization: 'Code of the organization',
      weightGrams: 'Weight',
    } as Record<string, string>,
  },
}

const es: typeof en = {
  title: 'Importar animales',
  lead: 'Traiga animales de otro programa o de una tabla. Primero verá qué pasaría; nada cambia hasta que lo confirme.',
  file: 'Archivo',
  fileHint: 'CSV, JSON o NDJSON, como mucho 10 MB',
  from: 'De dónde viene',
  ownForm: 'Una tabla propia o una exportación de este servicio',
  category: 'Especie de los animales sin especie conocida',
  categoryHint: 'Los demás se rechazan',
  organization: 'Organización de los animales que no nombran ninguna',
  currency: 'Moneda de los precios',
  update: 'Cambiar los animales que ya vinieron antes',
  dayFirst: 'Las fechas empiezan por el día: 31/12/2026',
  pounds: 'Los pesos sin unidad son libras',
  preview: 'Mostrar qué pasaría',
  noFile: 'Elija primero un archivo.',
  gone: 'El archivo ya no está aquí. Súbalo de nuevo.',
  previewTitle: 'Esto pasaría',
  previewLead: 'Todavía no ha cambiado nada.',
  confirm: (count) => (count === 1 ? 'Importar 1 animal' : `Importar ${count} animales`),
  another: 'Elegir otro archivo',
  running: 'La importación sigue, también si deja esta página. El resultado se muestra aquí.',
  soFar: (count) => `${count} líneas hasta ahora`,
  resultTitle: 'La importación ha terminado',
  toList: 'Ver los animales',
  figures: { added: 'añadidos', updated: 'cambiados', unchanged: 'como antes', refused: 'rechazados' },
  examples: 'Por ejemplo estos animales',
  about: (day) => `hacia el ${day}`,
  refused: 'Líneas rechazadas',
  line: 'Línea',
  why: 'Por qué',
  more: (count) => `Y ${count} más.`,
  leftOut: 'Lo que no tiene lugar aquí',
  refusals: {
    reasons: {
      unknown_kind: (value) =>
        `Aquí ninguna especie se llama «${value}». Elija una especie para estos animales al subir el archivo.`,
      unknown_organization_code: (value) => `Ninguna organización tiene el código «${value}».`,
      known_before: (value) =>
        `Ya se importó antes: es el animal ${value}. Elija «Cambiar los animales que ya vinieron antes» al subir el archivo para cambiarlo.`,
      moved_away: () => 'Ya se importó antes, y ahora es de otra organización o de ninguna.',
      not_for_adoption: (value) =>
        `En el archivo no está en adopción, y el animal ${value} tiene aquí un estado. Cámbielo a mano.`,
      bond_lacking: (value) => `Se adopta junto con animales que no se importaron: ${value}.`,
      no_source_id: () =>
        'La columna que distingue a los animales está vacía aquí, o tiene más de 200 caracteres.',
      not_utf8: () => 'Tiene letras que no se pueden leer. Guarde el archivo de nuevo como CSV UTF-8.',
      other_cells: () => 'Tiene más o menos celdas que la línea de los encabezados.',
      line_too_long: () => 'Es demasiado larga para ser un animal.',
      not_csv: () =>
        'Unas comillas en una celda no están escritas como pide CSV. Guarde la tabla de nuevo como CSV.',
      known_file: (value) =>
        `Este archivo ya se importó antes, a partir del animal ${value}. No ha cambiado nada.`,
      own_ids: () =>
        'Los animales de este archivo ya están aquí, con los mismos números. Cada uno se añadiría otra vez, así que no ha cambiado nada.',
      other_program: () => 'El archivo parece una exportación de otro programa. Elíjalo en «De dónde viene».',
      other_format: (value) =>
        `Lo que contiene el archivo no corresponde al final de su nombre. Haga que el nombre termine en .${value}.`,
      missing_column: (value) =>
        `Al archivo le falta una columna necesaria: ${value}. ¿Viene de donde usted eligió?`,
      column_case: (value) =>
        `Un encabezado del archivo tiene otras letras de las que debe: llame a esa columna «${value}».`,
      not_json: () => 'No es JSON que se pueda leer. Expórtelo de nuevo desde el otro programa.',
      no_object: () => 'No es un animal: cada uno tiene que estar en un objeto JSON propio.',
      column_twice: (value) =>
        `El archivo tiene dos columnas con el encabezado «${value}». Cambie uno de los dos.`,
      open_quote: (value) => `En la línea ${value} unas comillas abren una celda y nada la cierra.`,
      compressed: () => 'El archivo está comprimido. Descomprímalo primero.',
      workbook: () =>
        'El archivo es un libro de cálculo o un archivo comprimido. Guarde la hoja como CSV UTF-8 y elija ese.',
      no_status: () => 'No tiene estado, así que nadie sabe si está en adopción.',
      unknown_status: (value) => `Su estado «${value}» no se conoce aquí.`,
      has_died: () => 'Ha muerto.',
      never_sheltered: () => 'Nunca fue un animal del refugio.',
      has_left: () => 'Salió del refugio sin ser adoptado.',
      utf16: () => 'El archivo tiene una codificación que aquí no se lee. Guárdelo de nuevo como CSV UTF-8.',
    },
    fields: {
      choice: (label, value) => `${label}: «${value}» no es una palabra que se conozca aquí.`,
      yesOrNo: (label, value) => `${label}: «${value}» no es ni sí ni no.`,
      check: (label, value) => `${label}: «${value}» no es ni sí ni no.`,
      date: (label, value) => `${label}: «${value}» no es un día desde 1950 hasta hoy, como 2023-12-31.`,
      dayFirst: (label, value) =>
        `${label}: «${value}» empieza por el día. Elija «Las fechas empiezan por el día» al subir el archivo.`,
      number: (label, value) => `${label}: «${value}» no es un número posible.`,
      kilograms: (label, value) => `${label}: «${value}» no es un peso, como 4.5 kg o 10 lb.`,
      money: (label, value) => `${label}: «${value}» no es un precio, como 150 o 99.50.`,
    },
    exactAlone: 'Dice si la fecha de nacimiento es exacta, y no tiene fecha de nacimiento.',
    dayFirst: 'empieza por el día',
    found: (value) => `El archivo tiene «${value}».`,
  },
  columns: {
    title: 'Columnas de su archivo',
    lead: 'Diga qué contiene cada columna. Después vea de nuevo qué pasaría.',
    leave: 'No importar',
    example: (text) => `Por ejemplo: ${text}`,
    position: (number) => `Columna ${number}`,
    more: (count) => `Otras ${count} columnas no se importan.`,
    id: 'Columna que distingue a los animales',
    idHint:
      'Por ejemplo su número en el otro programa. Así la próxima importación cambia estos animales; sin ella se añaden todos otra vez.',
    idNone: 'Ninguna',
    source: 'Nombre de esta lista',
    sourceHint: 'Dé el mismo nombre en la próxima importación: los números de otra lista son otros animales.',
    show: 'Mostrar de nuevo qué pasaría',
    problems: {
      title: 'Revise esto, por favor',
      taken: (label) => `${label}: otra columna ya contiene esto. Elija una de las dos.`,
      source: 'El nombre de la lista necesita de 1 a 100 caracteres.',
      noName: 'Elija la columna que contiene los nombres.',
    },
    labels: {
      age: 'Edad: cachorro, joven, adulto o mayor',
      birthDateExact: 'La fecha de nacimiento es exacta',
      organization: 'Código de la organización',
      weightGrams: 'Peso',
    },
  },
}

export const importWords = { en, es }
