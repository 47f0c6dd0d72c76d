/** Texts of the pages that staff print. */
const en = {
  print: 'Print',
  poster: (name: string) => `Poster for ${name}`,
  kennelCard: (name: string) => `Kennel card for ${name}`,
  record: (name: string) => `Adoption record for ${name}`,
  links: { poster: 'Poster', kennelCard: 'Kennel card', record: 'Adoption record' },
  lookingForHome: 'Looking for a home',
  readMore: 'Read more and apply:',
  code: 'QR code with this address',
  notListed: 'This animal is not in the gallery, so the poster shows no web address.',
  kennel: 'Kennel',
  microchip: 'Microchip',
  intakeDate: 'Intake date',
  adopter: 'Adopter',
  reply: 'The shelter’s reply',
  agreed: 'Adoption requirements',
  signShelter: 'Date and signature of the shelter',
  signAdopter: 'Date and signature of the adopter',
}

const es: typeof en = {
  print: 'Imprimir',
  poster: (name) => `Cartel de ${name}`,
  kennelCard: (name) => `Ficha de jaula de ${name}`,
  record: (name) => `Acta de adopción: ${name}`,
  links: { poster: 'Cartel', kennelCard: 'Ficha de jaula', record: 'Acta de adopción' },
  lookingForHome: 'Busca un hogar',
  readMore: 'Más información y solicitud de adopción:',
  code: 'Código QR con esta dirección',
  notListed: 'Este animal no está en la galería, así que el cartel no muestra ninguna dirección web.',
  kennel: 'Jaula',
  microchip: 'Microchip',
  intakeDate: 'Fecha de ingreso',
  adopter: 'Adoptante',
  reply: 'Respuesta del refugio',
  agreed: 'Requisitos de adopción',
  signShelter: 'Fecha y firma del refugio',
  signAdopter: 'Fecha y firma de quien adopta',
}

export const papers = { en, es }
