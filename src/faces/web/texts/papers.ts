import { text } from '../../../http/language.ts'

/** Texts of the pages that staff print. */
export const papers = {
  print: text('Print', 'Imprimir'),
  poster: (name: string) => text(`Poster for ${name}`, `Cartel de ${name}`),
  kennelCard: (name: string) => text(`Kennel card for ${name}`, `Ficha de jaula de ${name}`),
  record: (name: string) => text(`Adoption record for ${name}`, `Acta de adopción: ${name}`),
  links: {
    poster: text('Poster', 'Cartel'),
    kennelCard: text('Kennel card', 'Ficha de jaula'),
    record: text('Adoption record', 'Acta de adopción'),
  },
  lookingForHome: text('Looking for a home', 'Busca un hogar'),
  readMore: text('Read more and apply:', 'Más información y solicitud de adopción:'),
  code: text('QR code with this address', 'Código QR con esta dirección'),
  notListed: text(
    'This animal is not in the gallery, so the poster shows no web address.',
    'Este animal no está en la galería, así que el cartel no muestra ninguna dirección web.',
  ),
  kennel: text('Kennel', 'Jaula'),
  microchip: text('Microchip', 'Microchip'),
  intakeDate: text('Intake date', 'Fecha de ingreso'),
  adopter: text('Adopter', 'Adoptante'),
  reply: text('The shelter’s reply', 'Respuesta del refugio'),
  agreed: text('Adoption requirements', 'Requisitos de adopción'),
  signShelter: text('Date and signature of the shelter', 'Fecha y firma del refugio'),
  signAdopter: text('Date and signature of the adopter', 'Fecha y firma de quien adopta'),
}
