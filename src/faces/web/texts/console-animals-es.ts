import type { animals as english } from './console-animals-en.ts'

export const animals: typeof english = {
  title: 'Animales',
  add: 'Añadir un animal',
  search: 'Buscar',
  status: 'Estado',
  anyStatus: 'Cualquier estado',
  category: 'Especie',
  anyCategory: 'Todas las especies',
  organization: 'Organización',
  anyOrganization: 'Todas las organizaciones',
  photos: 'Fotos',
  anyPhotos: 'Todas',
  withPhotos: 'Con fotos',
  withoutPhotos: 'Sin fotos',
  show: 'Mostrar',
  clear: 'Quitar filtros',
  found: 'Animales encontrados',
  none: 'Ningún animal coincide.',
  first: 'Animales más recientes',
  next: 'Animales anteriores',
  more: 'La búsqueda aún no ha terminado.',
  statuses: { available: 'Disponible', pending: 'Reservado', sold: 'Adoptado', unlisted: 'Sin publicar' },
  why: {
    available: 'En la galería.',
    pending: 'En la galería, marcado como reservado.',
    sold: 'Fuera de la galería: fue adoptado.',
    unlisted: 'Fuera de la galería: nadie lo ha publicado.',
  },
  noPhoto: 'Sin foto',
  publish: 'Publicar',
  publishName: (name) => `Publicar ${name}`,
  days: (count) =>
    count === 0
      ? 'Desde hoy.'
      : count === 1
        ? 'Espera desde hace 1 día.'
        : `Espera desde hace ${count} días.`,
}
