import { completeAdoption } from './applications/adoption.ts'
import * as applications from './applications/application-changes.ts'
import * as orders from './applications/order-changes.ts'
import * as outbox from './applications/outbox.ts'
import * as people from './applications/people.ts'
import * as pets from './applications/pet-changes.ts'
import * as categories from './categories/store.ts'
import { type Changes, registerChanges } from './db/change.ts'
import { identifyInstallation } from './db/installation.ts'
import { probeWrite } from './db/write.ts'
import { removeDemo } from './demo/remove.ts'
import * as events from './events/log.ts'
import * as copies from './follow/copies.ts'
import * as follow from './follow/store.ts'
import { removeExpired } from './jobs/expiry.ts'
import * as jobs from './jobs/job.ts'
import * as keys from './keys/store.ts'
import { insertToken } from './keys/tokens.ts'
import * as counters from './limits/store.ts'
import * as adopters from './orders/adopters.ts'
import * as organizations from './organizations/store.ts'
import { renewAges } from './pets/renew-ages.ts'
import { indexAnimals, mergeTokens } from './pets/search/index-animals.ts'
import * as photos from './photos/store.ts'
import * as staff from './staff/accounts.ts'
import * as links from './staff/links.ts'
import * as sessions from './staff/session.ts'
import * as tries from './staff/tries.ts'
import * as photoSources from './transfer/photo-store.ts'
import { importBatch } from './transfer/write.ts'
import * as vocabulary from './vocabulary/store.ts'
import * as attempts from './webhooks/attempts.ts'
import { correctDeliveries } from './webhooks/correction.ts'
import * as deliveries from './webhooks/deliveries.ts'
import * as webhooks from './webhooks/store.ts'

/**
 * Removes a person, and requests a scrub, because the database files still contain bytes of the removed
 * person. The code in src/staff cannot request a scrub itself: src/orders owns the flag.
 */
const removeStaff: typeof staff.removeStaff = async (db, ...args) => {
  const isRemoved = await staff.removeStaff(db, ...args)
  if (isRemoved) await adopters.markScrubDue(db)
  return isRemoved
}

/** Adds a photo after checking the key again, which photos cannot: an upload can take half an hour. */
const addPhoto: typeof photos.addPhoto = async (db, owner, photo, by, now) => {
  if (by.keyId !== null) await keys.requireWriteAccess(db, by.keyId)
  return photos.addPhoto(db, owner, photo, by, now)
}

/** Every function that changes data, by the name that messages to the writer thread use. */
export const changes = {
  insertPet: pets.insertPet,
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
  addPhoto,
  recordExistingPhoto: photos.recordExistingPhoto,
  updatePhoto: photos.updatePhoto,
  deletePhoto: photos.deletePhoto,
  markPhotoFilesMade: photos.markPhotoFilesMade,
  clearRemovedPhotos: photos.clearRemovedPhotos,
  insertWord: vocabulary.insertWord,
  deleteWord: vocabulary.deleteWord,
  fillVocabulary: vocabulary.fillVocabulary,
  placeOrder: orders.placeOrder,
  decideOrder: orders.decideOrder,
  cancelOrder: orders.cancelOrder,
  insertApplication: applications.insertApplication,
  updateApplication: applications.updateApplication,
  completeAdoption,
  withdrawByLink: applications.withdrawByLink,
  removeSent: outbox.removeSent,
  postpone: outbox.postpone,
  postponeRefused: outbox.postponeRefused,
  removeOldEvents: events.removeOldEvents,
  insertWebhook: webhooks.insertWebhook,
  updateWebhook: webhooks.updateWebhook,
  deleteWebhook: webhooks.deleteWebhook,
  rotateWebhookSecret: webhooks.rotateWebhookSecret,
  queueDeliveries: deliveries.queueDeliveries,
  refillDeliveries: deliveries.refillDeliveries,
  leaseDeliveries: attempts.leaseDeliveries,
  releaseDeliveries: attempts.releaseDeliveries,
  endAttempt: attempts.endAttempt,
  insertTest: deliveries.insertTest,
  retryDelivery: deliveries.retryDelivery,
  recoverDeliveries: deliveries.recoverDeliveries,
  correctDeliveries,
  insertSource: follow.insertSource,
  leaseSources: follow.leaseSources,
  releaseSources: follow.releaseSources,
  recordProgress: follow.recordProgress,
  replaceSourceKey: follow.replaceSourceKey,
  copyBatch: copies.copyBatch,
  beginEnding: follow.beginEnding,
  removeCopies: copies.removeCopies,
  removeOrganizationCopy: copies.removeOrganizationCopy,
  deleteOrganizationCopy: organizations.deleteOrganization,
  releaseOrganizationCopy: organizations.releaseCopy,
  deleteSource: follow.deleteSource,
  advanceKnownTime: people.advanceKnownTime,
  eraseAdopters: adopters.eraseAdopters,
  eraseApplicants: people.eraseApplicants,
  erasePerson: people.erasePerson,
  markScrubbed: adopters.clearScrubDue,
  removeExpired,
  takeJob: jobs.takeJob,
  renewJob: jobs.renewJob,
  endJob: jobs.endJob,
  identifyInstallation,
  insertFirstKey: keys.insertFirstKey,
  insertKey: keys.insertKey,
  revokeKey: keys.revokeKey,
  rotateKey: keys.rotateKey,
  insertToken,
  inviteStaff: staff.inviteStaff,
  updateStaff: staff.updateStaff,
  resetStaff: staff.resetStaff,
  removeStaff,
  insertFirstLink: links.insertFirstLink,
  followLink: staff.followLink,
  changePassword: staff.changePassword,
  countSignInTry: tries.countSignInTry,
  forgetSignInTries: tries.forgetSignInTries,
  beginSession: sessions.beginSession,
  touchSession: sessions.touchSession,
  endSession: sessions.endSession,
  endSessionsOf: sessions.endSessionsOf,
  removeExpiredSessions: sessions.removeExpiredSessions,
  importBatch,
  importPhoto: photoSources.importPhoto,
  rememberPhoto: photoSources.rememberPhoto,
  removeDemo,
  saveCounters: counters.saveCounters,
  removeExpiredCounters: counters.removeExpiredCounters,
  probeWrite,
} satisfies Changes

registerChanges(changes)

type AllChanges = typeof changes

declare module './db/change.ts' {
  interface ChangeList extends AllChanges {}
}
