import type { refusals as english } from './console-refusals-en.ts'

export const refusals: typeof english = {
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
}
