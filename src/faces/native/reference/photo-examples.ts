/** As long as a real one: what is drawn for each photo. */
export const PHOTO_HASH = '0f6c4a1d92b84e7e8a53b1c07d29fe64'
export const PHOTOS = 'https://pets.example.org/photos'
const photoOf = (id: number, alt: string) => ({
  id,
  alt,
  ...{ width: 2_400, height: 1_800 },
  sizes: {
    small: `${PHOTOS}/${PHOTO_HASH}-300.webp`,
    medium: `${PHOTOS}/${PHOTO_HASH}-600.webp`,
    large: `${PHOTOS}/${PHOTO_HASH}-1200.webp`,
    full: `${PHOTOS}/${PHOTO_HASH}-2400.webp`,
  },
})
export const PORTRAIT = photoOf(1, 'Rex in the garden')
export const HOUSE = photoOf(2, 'The shelter from the road')
const ADDING_TO_PET = {
  path: { petId: '2' },
  query: { alt: 'Mia asleep' },
  file: 'mia.jpg',
  answer: photoOf(3, 'Mia asleep'),
}
const ADDING_TO_ORGANIZATION = {
  path: { organizationId: '1' },
  query: { alt: 'The yard' },
  file: 'yard.jpg',
  answer: photoOf(3, 'The yard'),
}

/** Examples of the operations of photos. */
export const PHOTO_EXAMPLES = {
  listPetPhotos: { path: { petId: '1' }, answer: [PORTRAIT] },
  addPetPhoto: ADDING_TO_PET,
  getPetPhoto: { path: { petId: '1', photoId: '1' }, answer: PORTRAIT },
  updatePetPhoto: {
    path: { petId: '1', photoId: '1' },
    body: { alt: 'Rex and his ball', position: 1 },
    answer: { ...PORTRAIT, alt: 'Rex and his ball' },
  },
  deletePetPhoto: { path: { petId: '1', photoId: '1' } },
  listOrganizationPhotos: { path: { organizationId: '1' }, answer: [HOUSE] },
  addOrganizationPhoto: ADDING_TO_ORGANIZATION,
  getOrganizationPhoto: { path: { organizationId: '1', photoId: '2' }, answer: HOUSE },
  updateOrganizationPhoto: {
    path: { organizationId: '1', photoId: '2' },
    body: { alt: null },
    answer: { ...HOUSE, alt: undefined },
  },
  deleteOrganizationPhoto: { path: { organizationId: '1', photoId: '2' } },
}
