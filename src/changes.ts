import * as categories from './categories/store.ts'
import { identifyInstallation } from './db/installation.ts'
import { removeExpiredResults } from './db/once.ts'
import { type Changes, nothing } from './db/write.ts'
import * as jobs from './jobs/store.ts'
import * as keys from './keys/store.ts'
import * as counters from './limits/store.ts'
import * as adopters from './orders/adopters.ts'
import * as guardedPets from './orders/guarded-pets.ts'
import { advanceKnownTime } from './orders/known-time.ts'
import * as place from './orders/place.ts'
import { renewAges } from './pets/ages.ts'
import * as pets from './pets/store.ts'
import { importBatch } from './transfer/import-batch.ts'

/** Every change of the data: the one list, known to the service, its threads and the commands alike. */
export const changes = {
  insertPet: pets.insertPet,
  updatePet: guardedPets.updatePet,
  deletePet: guardedPets.deletePet,
  renewAges,
  insertCategory: categories.insertCategory,
  updateCategory: categories.updateCategory,
  deleteCategory: categories.deleteCategory,
  placeOrder: place.placeOrder,
  decideOrder: place.decideOrder,
  cancelOrder: place.cancelOrder,
  advanceKnownTime,
  eraseAdopters: adopters.eraseAdopters,
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
  importBatch,
  saveCounters: counters.saveCounters,
  removeExpiredCounters: counters.removeExpiredCounters,
  nothing,
} satisfies Changes

type Listed = typeof changes

declare module './db/write.ts' {
  interface ChangeList extends Listed {}
}
