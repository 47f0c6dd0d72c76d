/** Words for the photos of an animal. */
export const photos = {
  add: 'Add photos',
  addHint: 'Choose several at once, take them with the phone, drop or paste them here. At most 15 MB each.',
  upload: 'Upload',
  numbered: (name: string, number: number) => `Photo ${number} of ${name}`,
  alt: (number: number) => `Photo ${number}: what it shows`,
  altHint: 'For those who cannot see it',
  saveAlt: 'Save',
  saveAltOf: (number: number) => `Save the text of photo ${number}`,
  up: (number: number) => `Move photo ${number} forward`,
  down: (number: number) => `Move photo ${number} back`,
  remove: (number: number) => `Remove photo ${number}`,
  wrong: (number: number, why: string) => `Photo ${number}: ${why}`,
  altWrong: 'The text can have at most 500 characters, in one line.',
  none: 'No photo was chosen.',
  failed: 'This could not be sent. Check the connection, then try again.',
  progress: 'Sending photo {number} of {count}',
}
