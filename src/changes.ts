import * as applications from './applications/application-changes.ts'
import * as orders from './applications/order-changes.ts'
import * as people from './applications/people.ts'
import * as pets from './applications/pet-changes.ts'
import * as categories from './categories/store.ts'
import { type Changes, listChanges } from './db/change.ts'
import { identifyInstallation } from './db/installation.ts'
import { removeExpiredResults } from './db/once.ts'
import { nothing } from './db/write.ts'
import { removeDemo } from './demo/remove.ts'
import * as jobs from './jobs/store.ts'
import * as keys from './keys/store.ts'
import { insertToken, removeExpiredTokens } from './keys/tokens.ts'
import * as counters from './limits/store.ts'
import * as adopters from './orders/adopters.ts'
import * as organizations from './organizations/store.ts'
import { renewAges } from './pets/ages.ts'
import { insertPet } from './pets/insert.ts'
import { indexAnimals } from './pets/search/index-animals.ts'
import { mergeTokens } from './pets/search/upkeep.ts'
import * as photos from './photos/store.ts'
import * as staff from './staff/accounts.ts'
import * as links from './staff/links.ts'
import * as sessions from './staff/session.ts'
import { removeExpiredSessions } from './staff/session.ts'
import * as passwords from './staff/set-password.ts'
import * as tries from './staff/tries.ts'
import { importBatch } from './transfer/import-batch.ts'
import * as photoSources from './transfer/photo-store.ts'
import * as vocabulary from './vocabulary/store.ts'

/** Bytes are left of whoever is removed, as of adopters; orders keep count of that, and staff know none. */
const removeStaff: typeof staff.removeStaff = async (db, ...args) => {
  const isRemoved = await staff.removeStaff(db, ...args)
  if (isRemoved) await adopters.scrubIsDue(db)
  return isRemoved
}

/** Every change of the data: the one list, known to the service, its threads and the commands alike. */
export const changes = {
  insertPet,
  insertBondedPet: pets.insertBondedPet,
  updatePet: pets.updatePet,
  deletePet: pets.deletePet,
  renewAges,
  indexAnimals,
  mergeTokens,
  insertCategory: categories.insertCategory,
  updateCategory: categories.updateCategory,
  deleteCategory: categories.deleteCategory,
  insertOrganization: organizations.insertOrganization,
  updateOrganization: organizations.updateOrganization,
  deleteOrganization: photos.deleteOrganization,
  addPhoto: photos.addPhoto,
  keepFoundPhoto: photos.keepFoundPhoto,
  updatePhoto: photos.updatePhoto,
  deletePhoto: photos.deletePhoto,
  photoFilesMade: photos.photoFilesMade,
  photoFilesRemoved: photos.photoFilesRemoved,
  insertWord: vocabulary.insertWord,
  deleteWord: vocabulary.deleteWord,
  fillVocabulary: vocabulary.fillVocabulary,
  placeOrder: orders.placeOrder,
  decideOrder: orders.decideOrder,
  cancelOrder: orders.cancelOrder,
  insertApplication: applications.insertApplication,
  updateApplication: applications.updateApplication,
  withdrawByLink: applications.withdrawByLink,
  advanceKnownTime: people.advanceKnownTime,
  eraseAdopters: adopters.eraseAdopters,
  eraseApplicants: people.eraseApplicants,
  erasePerson: people.erasePerson,
  scrubbed: adopters.scrubbed,
  removeExpiredResults,
  takeJob: jobs.takeJob,
  renewJob: jobs.renewJob,
  endJob: jobs.endJob,
  identifyInstallation,
  insertFirstKey: keys.insertFirstKey,
  insertKey: keys.insertKey,
  revokeKey: keys.revokeKey,
  rotateKey: keys.rotateKey,
  insertToken,
  removeExpiredTokens,
  inviteStaff: staff.inviteStaff,
  updateStaff: staff.updateStaff,
  resetStaff: staff.resetStaff,
  removeStaff,
  insertFirstLink: links.insertFirstLink,
  followLink: passwords.followLink,
  changePassword: passwords.changePassword,
  countTry: tries.countTry,
  forgiveTry: tries.forgiveTry,
  beginSession: sessions.beginSession,
  seeSession: sessions.seeSession,
  endSession: sessions.endSession,
  endSessionsOf: sessions.endSessionsOf,
  removeExpiredSessions,
  importBatch,
  importPhoto: photoSources.importPhoto,
  rememberPhoto: photoSources.rememberPhoto,
  removeDemo,
  saveCounters: counters.saveCounters,
  removeExpiredCounters: counters.removeExpiredCounters,
  nothing,
} satisfies Changes

listChanges(changes)

type Listed = typeof changes

declare module './db/change.ts' {
  interface ChangeList extends Listed {}
}
