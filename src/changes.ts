import * as categories from './categories/store.ts'
import { removeExpiredResults } from './db/once.ts'
import { nothing } from './db/write.ts'
import type { Changes } from './db/writer.ts'
import * as keys from './keys/store.ts'
import * as counters from './limits/store.ts'
import * as place from './orders/place.ts'
import * as orders from './orders/store.ts'
import * as petChange from './pets/change.ts'
import * as pets from './pets/store.ts'

/** Every change of the data that the service makes: the one list, known to its threads alike. */
export const changes = {
  insertPet: pets.insertPet,
  updatePet: petChange.updatePet,
  deletePet: petChange.deletePet,
  insertCategory: categories.insertCategory,
  updateCategory: categories.updateCategory,
  deleteCategory: categories.deleteCategory,
  placeOrder: place.placeOrder,
  decideOrder: place.decideOrder,
  cancelOrder: place.cancelOrder,
  eraseAdopters: orders.eraseAdopters,
  removeExpiredResults,
  insertFirstKey: keys.insertFirstKey,
  saveCounters: counters.saveCounters,
  removeExpiredCounters: counters.removeExpiredCounters,
  nothing,
} satisfies Changes
