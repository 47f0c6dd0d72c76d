import { animal } from './console-animal-en.ts'
import { animals } from './console-animals-en.ts'
import { applicationNotices, applications, questions } from './console-applications-en.ts'
import { importWords } from './console-import-en.ts'
import { keys } from './console-keys-en.ts'
import { organization, usage } from './console-office-en.ts'
import { account, people, peopleNotices } from './console-people-en.ts'
import { photos } from './console-photos-en.ts'
import { join, signIn } from './console-sign-in-en.ts'

/** Words of the console: of its frame here, of its parts in files of their own. */
export const console = {
  title: 'Console',
  nav: {
    start: 'Start',
    animals: 'Animals',
    applications: 'Applications',
    import: 'Import',
    organization: 'Organization',
    usage: 'Usage',
    people: 'People',
    keys: 'Keys',
  },
  roles: { viewer: 'Viewer', staff: 'Staff', manager: 'Manager', admin: 'Admin' } as Record<string, string>,
  signOut: 'Sign out',
  toStart: 'To the start page',
  signedOut: {
    title: 'You are signed out',
    advice:
      'Nothing was saved, and nothing is lost: sign in in another window, come back to this one, and load it again.',
    link: 'Sign in in another window',
  },
  /** What was done, by the name that an address has of it. */
  notices: {
    ...applicationNotices,
    ...peopleNotices,
    added: 'The animal is added. Now give it some photos: animals with photos find a home sooner.',
    addedAnother: 'The animal is added. Here is an empty form for the next one.',
    organizationAdded:
      'The organization is added. Choose it where you add its animals and invite its people.',
    saved: 'Your changes are saved.',
    unchanged: 'There was nothing to save.',
    deleted: 'The animal is removed.',
    gone: 'The animal is not there any more.',
    available: 'The animal is in the gallery now.',
    pending: 'The animal is marked as reserved.',
    sold: 'The animal is marked as adopted. Wonderful!',
    photosAdded: 'The photos are added.',
    photoChanged: 'The photos are changed.',
    photoRemoved: 'The photo is removed.',
    approved: 'The adoption is approved.',
    completed: 'The adoption is complete, and the animal has a home. Wonderful!',
    cancelled: 'The adoption is cancelled, and the animal is available again.',
  } as Record<string, string>,
  /** Errors that people meet, by their codes. */
  errors: {
    insufficient_access: 'Your role does not let you do this, or it was not sent from a page of the console.',
    other_organization: 'This belongs to another organization than yours.',
    pet_not_found: 'There is no such animal, or it belongs to another organization.',
    photo_not_found: 'This photo is gone already.',
    organization_not_found: 'There is no such organization.',
    application_not_found: 'There is no such application, or it belongs to another organization.',
    order_not_found: 'There is no such adoption.',
    order_open: 'Somebody is adopting this animal. Complete or cancel the adoption first.',
    order_closed: 'This adoption is closed already.',
    pet_not_available: 'This animal is not available any more.',
    invalid_status_transition: 'This cannot follow what the animal is now.',
    external_id_exists: 'Another animal has this number of your own.',
    too_many_photos: 'There are 20 photos already. Remove one first.',
    invalid_image: 'This is no picture that can be used. Choose a JPEG, PNG, WebP, AVIF or GIF.',
    unsupported_media_type: 'This cannot be read. Photos can be JPEG, PNG, WebP, AVIF or GIF.',
    payload_too_large: 'This is too large. A photo may have 15 MB, and a form 256 kB.',
    idempotency_key_reused:
      'This form was saved once before, with other content. Look first at what it added; saving now adds another one.',
    idempotency_key_in_use: 'This form is just being saved. Wait a moment, then look at the list.',
  } as Record<string, string>,
  /** For what has no words of its own. */
  otherError: 'This could not be done. Open the page again, then try once more.',
  start: {
    title: 'Start',
    numbers: 'Animals by status',
    noPhotos: 'In the gallery without a photo',
    noPhotosNone: 'Every animal in the gallery has a photo.',
    longest: 'Waiting longest',
    longestNone: 'No animal is waiting.',
    latest: 'Latest changes',
    latestNone: 'Nothing has changed yet.',
    allOfThem: 'Show all of them',
    noOrganization:
      'Your shelter comes first: animals and the questions for adopters belong to an organization.',
    empty: 'There are no animals yet. Add the first one: a name and a kind are enough to begin with.',
  },
  animals,
  animal,
  applications,
  questions,
  photos,
  signIn,
  join,
  people,
  account,
  keys,
  import: importWords,
  organization,
  usage,
}
