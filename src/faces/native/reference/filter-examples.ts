/** A value of each filter of animals. */
export const FILTERS = {
  status: 'available',
  categoryId: 1,
  organizationId: 1,
  species: 'Dog',
  breed: 'Poodle',
  color: 'Black',
  coat: 'curly',
  age: 'young',
  sex: 'male',
  size: 'small',
  tag: 'calm',
  externalId: 'A-12',
  ...{ goodWithChildren: 'true', goodWithDogs: 'true', goodWithCats: 'false' },
  ...{ spayedNeutered: 'true', houseTrained: 'true', declawed: 'false', specialNeeds: 'false' },
  ...{ vaccinated: 'true', hasPhotos: 'true' },
  ...{ bornAfter: '2024-01-01', bornBefore: '2026-12-01' },
  ...{ publishedAfter: '2026-01-01T00:00:00Z', publishedBefore: '2027-01-01T00:00:00Z' },
  updatedSince: '2026-01-01T00:00:00Z',
  postcode: '80202',
  city: 'Denver',
  q: 'calm poodle',
}

/** How often each status is met in the service of the examples. */
export const FACETS = {
  ...{ matches: 2, approximate: false },
  facets: {
    status: [
      { value: 'available', count: 1 },
      { value: 'pending', count: 1 },
    ],
  },
}
