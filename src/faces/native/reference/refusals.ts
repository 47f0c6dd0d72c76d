import type { NEEDED_ACCESS } from '../../../access.ts'
import { ERRORS, type ErrorCode } from '../../../errors.ts'

/** Conflicts of an operation itself, and what is not there beside what its address names. */
const REFUSALS: Partial<Record<keyof typeof NEEDED_ACCESS, ErrorCode[]>> = {
  createPet: ['other_organization', 'external_id_exists', 'order_open'],
  updatePet: ['other_organization', 'invalid_status_transition', 'order_open', 'external_id_exists'],
  deletePet: ['other_organization', 'order_open'],
  addPetPhoto: ['other_organization', 'too_many_photos'],
  updatePetPhoto: ['other_organization', 'photo_not_found'],
  deletePetPhoto: ['other_organization', 'photo_not_found'],
  getPetPhoto: ['photo_not_found'],
  addOrganizationPhoto: ['other_organization', 'too_many_photos'],
  updateOrganizationPhoto: ['other_organization', 'photo_not_found'],
  deleteOrganizationPhoto: ['other_organization', 'photo_not_found'],
  getOrganizationPhoto: ['photo_not_found'],
  createCategory: ['category_exists'],
  updateCategory: ['category_exists'],
  deleteCategory: ['category_in_use'],
  createBreed: ['breed_exists'],
  createColor: ['color_exists'],
  createOrganization: ['organization_exists'],
  deleteOrganization: ['organization_in_use'],
  updateOrganization: ['other_organization'],
  createOrder: ['other_organization', 'pet_not_found', 'pet_not_available', 'bonded'],
  updateOrder: ['order_closed', 'invalid_status_transition'],
  cancelOrder: ['order_closed'],
  createApplication: ['other_organization', 'pet_not_found', 'pet_not_available'],
  updateApplication: [
    ...(['other_organization', 'application_closed', 'invalid_status_transition'] as const),
    ...(['pet_not_available', 'bonded'] as const),
  ],
}
const DETAILS: Partial<Record<ErrorCode, object>> = {
  validation_failed: { pointer: '/name', code: 'missing', message: 'This is required.' },
  invalid_parameter: { parameter: 'limit', code: 'out_of_range', message: 'This must be at most 100.' },
  invalid_cursor: {
    parameter: 'cursor',
    code: 'invalid_value',
    message: 'Take it whole from a Link header.',
  },
}

interface Refusing {
  operationId: string
  parameters?: { name: string; in: string }[]
  requestBody?: unknown
}

/** For the description: an error of each code that an operation may answer with a status. */
export function refusalsOf({ operationId, parameters, requestBody }: Refusing, status: number): object {
  const named = parameters?.find((parameter) => parameter.in === 'path')?.name.replace('Id', '_not_found')
  const own: string[] = [
    ...(REFUSALS[operationId as keyof typeof REFUSALS] ?? []),
    ...(named ? [named] : []),
    ...(requestBody ? ['idempotency_key_in_use'] : []),
    'insufficient_access',
  ]
  const errors = Object.entries(ERRORS).filter(([code, [of]]) => {
    return of === status && (![403, 404, 409].includes(status) || own.includes(code))
  })
  return Object.fromEntries(
    errors.map(([code, [, message]]) => {
      const detail = DETAILS[code as ErrorCode]
      return [code, { value: { code, message, status, ...(detail && { details: [detail] }) } }]
    }),
  )
}
