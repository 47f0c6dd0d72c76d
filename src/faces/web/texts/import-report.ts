import { text, type Words } from '../../../http/language.ts'
import type { Note, RefusalCode } from '../../../transfer/report.ts'

// The long sentences about an imported file: each language has them together.

/** How the file was read, by the code of the note. */
export const NOTES = text<Partial<Record<Note['code'], (note: Note) => string>>>(
  {
    encoding: ({ value, example }) =>
      `The file was read as ${value}${example ? `, so one of its words is “${example}”` : ''}.`,
    day_first: ({ columns = [] }) => `The day comes first in the dates of ${columns.join(', ')}.`,
    month_first: ({ columns = [] }) => `The month comes first in the dates of ${columns.join(', ')}.`,
    mojibake: ({ count = 0, example }) =>
      `Letters were damaged before the file was saved, for example “${example}” (${count}).`,
    repaired_postcode: ({ count = 0 }) =>
      `Zeros that a spreadsheet had removed from ZIP codes were restored (${count}).`,
    no_animal: ({ lines = [] }) =>
      `Rows without an animal, such as titles and totals, are skipped: ${lines.join(', ')}.`,
  },
  {
    encoding: ({ value, example }) =>
      `El archivo se leyó como ${value}${example ? `; una de sus palabras es «${example}»` : ''}.`,
    day_first: ({ columns = [] }) => `En las fechas de ${columns.join(', ')} va primero el día.`,
    month_first: ({ columns = [] }) => `En las fechas de ${columns.join(', ')} va primero el mes.`,
    mojibake: ({ count = 0, example }) =>
      `Hay letras que ya estaban dañadas al guardar el archivo, por ejemplo «${example}» (${count}).`,
    repaired_postcode: ({ count = 0 }) =>
      `Se restauraron los ceros que una hoja de cálculo había quitado de los códigos postales (${count}).`,
    no_animal: ({ lines = [] }) =>
      `Se omiten las filas sin animal, como títulos y totales: ${lines.join(', ')}.`,
  },
)

/** Why a value is left out, by the reason in the name. */
export const REASONS: Words = {
  'not understood': text('not understood', 'no se entiende'),
  'not understood without --day-first': text('starts with the day', 'empieza con el día'),
  'not valid': text('value not valid', 'valor no válido'),
  'the date of birth counts': text('the date of birth is used instead', 'se usa la fecha de nacimiento'),
  'another animal has it': text('another animal has this number', 'otro animal tiene este número'),
  'the animal is on hold or has an outcome': text(
    'staff have put the animal on hold or recorded its outcome',
    'el personal lo retiene o ha registrado su salida',
  ),
}

type Sentence = (value: string) => string

/** Why a line or a file is not imported, by the code of the refusal. */
export const REFUSALS = text<Record<RefusalCode, Sentence>>(
  {
    unknown_kind: (value) =>
      `“${value}” is not a known type. Upload the file again and choose a “Type to use when missing”.`,
    no_kind: () =>
      'The file does not say what type of animal this is. Upload the file again and choose a “Type to use when missing”.',
    unknown_organization_code: (value) =>
      `No organization has the code “${value}”. Correct the code in the file.`,
    known_before: (value) => `This animal is already here, as animal ${value}, and stays unchanged.`,
    moved_away: () => 'This animal was already imported. It now belongs to another organization, or to none.',
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
    workbook: () => 'The file is a workbook or an archive. Save the sheet as CSV UTF-8 and upload that file.',
    unknown_status: (value) => `The status “${value}” is not recognized.`,
    has_died: () => 'This animal has died.',
    never_sheltered: () => 'This animal was never in the shelter.',
    has_left: () => 'This animal left the shelter without being adopted.',
    unclear_dates: (value) =>
      `The dates in this file, such as “${value}”, can be read with the day or the month first.`,
    unclear_encoding: () => 'It is not clear which letters the file contains.',
    shortened_id: (value) => `A spreadsheet program shortened the ID “${value}”. Format that column as text.`,
    mixed_encoding: () => 'Some lines of the file are UTF-8 and others are not. Save it again as CSV UTF-8.',
  },
  {
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
)

type FieldSentence = (label: string, value: string, options: readonly string[]) => string

const EN_OR = new Intl.ListFormat('en', { type: 'disjunction' })
const ES_OR = new Intl.ListFormat('es', { type: 'disjunction' })

/** Messages for a field with an invalid text, by the kind of the field. `options` are the accepted words. */
export const FIELD_PROBLEMS = text<Record<string, FieldSentence>>(
  {
    choice: (label, value, options) =>
      `${label}: “${value}” is not recognized. Use ${EN_OR.format(options)}.`,
    yesOrNo: (label, value) => `${label}: “${value}” is not recognized. Use yes or no.`,
    check: (label, value) => `${label}: “${value}” is not recognized. Use yes or no.`,
    date: (label, value) =>
      `${label}: “${value}” is not a valid date from 1950 to today. Write it like 2023-12-31.`,
    dayFirst: (label, value) =>
      `${label}: “${value}” starts with the day. Upload the file again and choose “Day first”.`,
    number: (label, value) => `${label}: “${value}” is not a number within the possible range.`,
    kilograms: (label, value) => `${label}: “${value}” is not a valid weight. Write it like 4.5 kg or 10 lb.`,
    money: (label, value) => `${label}: “${value}” is not a valid amount. Write it like 150 or 99.50.`,
  },
  {
    choice: (label, value, options) => `${label}: «${value}» no se reconoce. Use ${ES_OR.format(options)}.`,
    yesOrNo: (label, value) => `${label}: «${value}» no se reconoce. Use sí o no.`,
    check: (label, value) => `${label}: «${value}» no se reconoce. Use sí o no.`,
    date: (label, value) =>
      `${label}: «${value}» no es una fecha válida entre 1950 y hoy. Escríbala así: 2023-12-31.`,
    dayFirst: (label, value) =>
      `${label}: «${value}» empieza con el día. Suba el archivo de nuevo y elija «Primero el día».`,
    number: (label, value) => `${label}: «${value}» no es un número dentro del rango posible.`,
    kilograms: (label, value) => `${label}: «${value}» no es un peso válido. Escríbalo así: 4.5 kg o 10 lb.`,
    money: (label, value) => `${label}: «${value}» no es un importe válido. Escríbalo así: 150 o 99.50.`,
  },
)
