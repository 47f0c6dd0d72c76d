import type { Note } from '../../../transfer/report.ts'

/** How the file of an import was read, by the code of the note. */
type NoteTexts = Partial<Record<Note['code'], (note: Note) => string>>

export const NOTES: Record<'en' | 'es', NoteTexts> = {
  en: {
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
  es: {
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
}

/** Why a value is left out, by the reason in the name. */
export const REASONS: Record<'en' | 'es', Record<string, string>> = {
  en: {
    'not understood': 'not understood',
    'not understood without --day-first': 'starts with the day',
    'not valid': 'value not valid',
    'the date of birth counts': 'the date of birth is used instead',
    'another animal has it': 'another animal has this number',
    'the animal is on hold or has an outcome': 'staff have put the animal on hold or recorded its outcome',
  },
  es: {
    'not understood': 'no se entiende',
    'not understood without --day-first': 'empieza con el día',
    'not valid': 'valor no válido',
    'the date of birth counts': 'se usa la fecha de nacimiento',
    'another animal has it': 'otro animal tiene este número',
    'the animal is on hold or has an outcome': 'el personal lo retiene o ha registrado su salida',
  },
}
