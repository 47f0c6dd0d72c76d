import { fields } from './console-fields-en.ts'

/** Words of the page of one animal. */
export const animal = {
  fields,
  addTitle: 'Add an animal',
  addHint: 'A name and a kind are enough. Everything else can follow later.',
  save: 'Save',
  saveAdd: 'Add animal',
  saveAnother: 'Add, then another',
  cancel: 'Cancel',
  publishNow: 'Show it in the gallery at once',
  publishNowHint: 'Otherwise it waits, not published, until you publish it.',
  wrong: 'Please look at these again',
  inGallery: 'See it in the gallery',
  /** Of the buttons that change the status, by the status. */
  moves: {
    available: 'Make available again',
    pending: 'Mark as reserved',
    sold: 'Mark as adopted',
  } as Record<string, string>,
  publish: 'Publish in the gallery',
  sections: { photos: 'Photos', details: 'Details', orders: 'Adoptions', history: 'History' },
  remove: 'Remove this animal',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeHint:
    'Only for a record that was made by mistake. The animal, its photos and its history are gone for good. An ' +
    'animal that found a home is marked as adopted instead.',
  removeYes: 'Yes, remove it',
  removeNo: 'No, keep it',
  conflict: {
    title: 'Somebody else has changed this animal meanwhile',
    advice:
      'Nothing of yours is saved yet. The form below has your changes, and theirs everywhere else. Look at what ' +
      'both of you changed, then save again.',
    field: 'What',
    theirs: 'Saved by them',
    yours: 'Yours',
    empty: 'empty',
  },
  history: {
    none: 'Nothing has changed since it was added.',
    added: (when: string) => `Added on ${when}`,
    somebody: 'Somebody who has left',
    key: (name: string) => `Program “${name}”`,
    unknown: 'A program',
    nothing: 'nothing',
    photos: {
      added: (count: number) => (count === 1 ? 'A photo was added.' : `${count} photos were added.`),
      removed: (count: number) => (count === 1 ? 'A photo was removed.' : `${count} photos were removed.`),
      moved: 'The photos were put in another order.',
      described: (count: number) =>
        count === 1 ? 'The text of a photo was changed.' : `The texts of ${count} photos were changed.`,
    },
  },
  orders: {
    erased: 'Name erased',
    statuses: {
      placed: 'Open',
      approved: 'Approved',
      completed: 'Completed',
      cancelled: 'Cancelled',
    } as Record<string, string>,
    decisions: { approved: 'Approve', completed: 'Adoption complete', cancelled: 'Cancel' } as Record<
      string,
      string
    >,
  },
}
