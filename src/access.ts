/** What a key may do; each level includes the ones before it. */
export const ACCESS_LEVELS = ['read', 'write', 'admin'] as const

export type Access = (typeof ACCESS_LEVELS)[number]

/** Who a member of staff is in the console; each role includes the ones before it: src/staff/roles.ts. */
export const ROLES = ['viewer', 'staff', 'manager', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** The access that each operation asks for. The one list: check, description and docs follow it. */
export const NEEDED_ACCESS = {
  listPets: 'read',
  listPetFacets: 'read',
  createPet: 'write',
  getPet: 'read',
  updatePet: 'write',
  deletePet: 'write',
  listPetChanges: 'read',
  listCategories: 'read',
  createCategory: 'admin',
  getCategory: 'read',
  updateCategory: 'admin',
  deleteCategory: 'admin',
  listBreeds: 'read',
  createBreed: 'admin',
  getBreed: 'read',
  deleteBreed: 'admin',
  listColors: 'read',
  createColor: 'admin',
  getColor: 'read',
  deleteColor: 'admin',
  listOrganizations: 'read',
  createOrganization: 'admin',
  getOrganization: 'read',
  updateOrganization: 'write',
  deleteOrganization: 'admin',
  listPetPhotos: 'read',
  addPetPhoto: 'write',
  getPetPhoto: 'read',
  updatePetPhoto: 'write',
  deletePetPhoto: 'write',
  listOrganizationPhotos: 'read',
  addOrganizationPhoto: 'write',
  getOrganizationPhoto: 'read',
  updateOrganizationPhoto: 'write',
  deleteOrganizationPhoto: 'write',
  getInventory: 'read',
  listOrders: 'read',
  createOrder: 'write',
  getOrder: 'read',
  updateOrder: 'write',
  cancelOrder: 'write',
  listApplications: 'read',
  createApplication: 'write',
  getApplication: 'read',
  updateApplication: 'write',
} as const satisfies Record<string, Access>

/** @throws when the list does not name the operation: none may exist without a decision about it */
export function neededAccess(operationId: string | undefined): Access {
  const needed: Access | undefined = NEEDED_ACCESS[operationId as keyof typeof NEEDED_ACCESS]
  if (!needed) throw new Error(`the operation ${operationId} has no place in the list of src/access.ts`)
  return needed
}

export function includesAccess(held: Access, needed: Access): boolean {
  return ACCESS_LEVELS.indexOf(held) >= ACCESS_LEVELS.indexOf(needed)
}
