/** Words of the list of animals. */
export const animals = {
  title: 'Animals',
  add: 'Add an animal',
  search: 'Search',
  status: 'Status',
  anyStatus: 'Any status',
  category: 'Kind',
  anyCategory: 'All kinds',
  organization: 'Organization',
  anyOrganization: 'All organizations',
  photos: 'Photos',
  anyPhotos: 'Any',
  withPhotos: 'With photos',
  withoutPhotos: 'Without photos',
  show: 'Show',
  clear: 'Clear',
  found: 'Animals found',
  none: 'No animal fits.',
  first: 'Newest animals',
  next: 'Older animals',
  more: 'The search has more to look through.',
  /** Of an animal without a status too. */
  statuses: {
    available: 'Available',
    pending: 'Reserved',
    sold: 'Adopted',
    unlisted: 'Not published',
  } as Record<string, string>,
  /** Why it is in the gallery or not. */
  why: {
    available: 'In the gallery.',
    pending: 'In the gallery, marked as reserved.',
    sold: 'Not in the gallery: it was adopted.',
    unlisted: 'Not in the gallery: nobody has published it.',
  } as Record<string, string>,
  noPhoto: 'No photo',
  publish: 'Publish',
  publishName: (name: string) => `Publish ${name}`,
  days: (count: number) =>
    count === 0 ? 'Since today.' : count === 1 ? 'Waiting 1 day.' : `Waiting ${count} days.`,
}
