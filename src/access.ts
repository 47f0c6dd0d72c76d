/** The access levels of API keys. Each level includes the levels before it. */
export const ACCESS_LEVELS = ['read', 'write', 'admin'] as const

export type Access = (typeof ACCESS_LEVELS)[number]

/** The roles of staff in the console. Each role includes the roles before it; see src/staff/roles.ts. */
export const ROLES = ['viewer', 'staff', 'manager', 'admin'] as const

export type Role = (typeof ROLES)[number]

/** The access level of each operation. The check, the OpenAPI document and the docs follow this list. */
export const REQUIRED_ACCESS = {
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
  getStatistics: 'write',
  listEvents: 'read',
  streamEvents: 'read',
  listWebhooks: 'write',
  createWebhook: 'write',
  getWebhook: 'write',
  updateWebhook: 'write',
  deleteWebhook: 'write',
  rotateWebhookSecret: 'write',
  testWebhook: 'write',
  listDeliveries: 'write',
  retryDelivery: 'write',
  recoverDeliveries: 'write',
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

/**
 * Returns the access level of an operation.
 * @throws if the list lacks it, because someone must decide the access level of every operation
 */
export function getRequiredAccess(operationId: string | undefined): Access {
  const needed: Access | undefined = REQUIRED_ACCESS[operationId as keyof typeof REQUIRED_ACCESS]
  if (!needed) throw new Error(`the operation ${operationId} is missing from the list in src/access.ts`)
  return needed
}

export function includesAccess(granted: Access, required: Access): boolean {
  return ACCESS_LEVELS.indexOf(granted) >= ACCESS_LEVELS.indexOf(required)
}
