import { STATUS_CODES } from 'node:http'
import type { REQUIRED_ACCESS } from '../../access.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import { COUNTRY, CURRENCY, EMAIL, PORTABLE_PATTERNS } from '../../http/text.ts'
import type { Operation } from './reference/description.ts'
import { exampleOf, parameterExample } from './reference/examples.ts'

type Json = Record<string, unknown>

/** Prepares the document for tools: moves titled schemas, headers and errors, and adds examples. */
export function finish(document: Json): Json {
  const schemas: Json = {}
  const paths = nameSchemas(document.paths, schemas) as Record<string, Record<string, Operation>>
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  for (const operation of operations) addExamples(operation)
  allowSingle(paths['/pets']?.get)
  const components = { ...(document.components as Json), schemas, ...share(operations) }
  return { ...document, paths, components }
}

/** Describes `status` of `GET /pets` as one status or a list. Clients of the contract send a single one. */
function allowSingle(operation: Operation | undefined): void {
  const status = operation?.parameters?.find(({ name }) => name === 'status')
  if (!status?.schema.items) return
  status.schema = { oneOf: [status.schema.items, status.schema] }
  status.example = [status.example].flat()[0]
}

/** Replaces each schema that has a title by a reference, and adds the schema to `schemas`. */
function nameSchemas(node: unknown, schemas: Json): unknown {
  if (Array.isArray(node)) return node.map((item) => nameSchemas(item, schemas))
  if (typeof node !== 'object' || node === null) return node
  const { title, ...members } = Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, nameSchemas(value, schemas)]),
  )
  nameRequired(members)
  makePortable(members)
  if (typeof title !== 'string') return members
  if (title === 'Error') delete members.description
  schemas[title] = members
  return { $ref: `#/components/schemas/${title}` }
}

/** Makes parameters with a default optional. Moves `required` from the schema of a header to the header. */
function nameRequired(members: Json): void {
  const { required, ...schema } = (members.schema ?? {}) as Json
  if ('in' in members && schema.default !== undefined) delete members.required
  if (required === true) Object.assign(members, { required, schema })
}

/** These formats are removed, because some tools reject documents with unknown formats. */
const OWN_FORMATS: unknown[] = [COUNTRY.format, CURRENCY.format]

/** Replaces our formats and patterns with those that every tool supports. Every int64 is an id. */
function makePortable(members: Json): void {
  const { pattern, description: rule } = PORTABLE_PATTERNS[String(members.pattern)] ?? {}
  if (members.format === 'int64') members.minimum = 1
  if (OWN_FORMATS.includes(members.format)) delete members.format
  if (members.format === 'email') members.pattern = EMAIL
  else if (pattern) {
    members.description = [members.description, rule].filter(Boolean).join(' ')
    members.pattern = pattern
  }
}

function addExamples(operation: Operation): void {
  const { body, answer } = exampleOf(operation.operationId)
  for (const parameter of operation.parameters ?? []) {
    const example = parameterExample(operation.operationId, parameter.name)
    const isList = parameter.schema.type === 'array'
    if (example !== undefined) parameter.example = isList ? [example].flat() : example
  }
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) {
    // Examples are only for JSON, not for files.
    if (type.endsWith('json')) media.examples = { [operation.operationId]: { value: body } }
  }
  for (const [status, response] of Object.entries(operation.responses)) {
    const [media] = Object.values(response.content ?? {})
    if (!media) continue
    const isSuccess = Number(status) < 300
    media.examples = isSuccess
      ? { [operation.operationId]: { value: answer } }
      : exampleErrorsOf(operation, Number(status))
  }
}

/** Replaces headers with references to components, and also error responses that several operations have. */
function share(operations: Operation[]): { headers: Json; responses: Json } {
  const headers = names('headers')
  const responses = names('responses')
  const errors = new Map<string, number>()
  for (const { operationId, responses: answers } of operations) {
    for (const [status, answer] of Object.entries(answers)) {
      for (const [name, header] of Object.entries(answer.headers ?? {}))
        (answer.headers as Json)[name] = headers.refer(name, header, operationId)
      if (Number(status) < 400) continue
      const text = JSON.stringify(answer)
      errors.set(text, (errors.get(text) ?? 0) + 1)
    }
  }
  for (const { operationId, responses: answers } of operations) {
    for (const [status, answer] of Object.entries(answers)) {
      if ((errors.get(JSON.stringify(answer)) ?? 0) < 2) continue
      const phrase = String(STATUS_CODES[status]).replace(/\W/g, '')
      ;(answers as Json)[status] = responses.refer(
        phrase,
        answer,
        operationId,
        ['404', '409'].includes(status),
      )
    }
  }
  return { headers: headers.all, responses: responses.all }
}

function ofOperation(operationId: string): string {
  return `Of${operationId[0]?.toUpperCase()}${operationId.slice(1)}`
}

/**
 * Chooses component names. If another component has the same name, the name gets the first operation as a
 * suffix. With `differs`, the name always gets the suffix.
 */
function names(kind: string) {
  const all: Json = {}
  const namesByContent = new Map<string, string>()
  function refer(name: string, thing: unknown, operationId: string, differs = false): { $ref: string } {
    const text = `${name} ${JSON.stringify(thing)}`
    const own = namesByContent.get(text) ?? (differs || name in all ? name + ofOperation(operationId) : name)
    namesByContent.set(text, own)
    all[own] = thing
    return { $ref: `#/components/${kind}/${own}` }
  }
  return { all, refer }
}

/** The error codes of an operation. Codes of every operation and of its path parameter are not listed. */
const REFUSALS: Partial<Record<keyof typeof REQUIRED_ACCESS, ErrorCode[]>> = {
  createPet: [
    ...(['other_organization', 'external_id_exists', 'order_open'] as const),
    ...(['followed_animal', 'followed_organization'] as const),
  ],
  updatePet: [
    ...(['other_organization', 'invalid_status_transition', 'order_open'] as const),
    ...(['external_id_exists', 'followed_animal', 'followed_organization'] as const),
  ],
  deletePet: ['other_organization', 'order_open', 'followed_animal'],
  addPetPhoto: ['other_organization', 'too_many_photos', 'followed_animal'],
  updatePetPhoto: ['other_organization', 'photo_not_found', 'followed_animal'],
  deletePetPhoto: ['other_organization', 'photo_not_found', 'followed_animal'],
  getPetPhoto: ['photo_not_found'],
  addOrganizationPhoto: ['other_organization', 'too_many_photos', 'followed_organization'],
  updateOrganizationPhoto: ['other_organization', 'photo_not_found', 'followed_organization'],
  deleteOrganizationPhoto: ['other_organization', 'photo_not_found', 'followed_organization'],
  getOrganizationPhoto: ['photo_not_found'],
  createCategory: ['category_exists'],
  updateCategory: ['category_exists'],
  deleteCategory: ['category_in_use'],
  createBreed: ['breed_exists'],
  createColor: ['color_exists'],
  createOrganization: ['organization_exists'],
  deleteOrganization: ['organization_in_use', 'followed_organization'],
  updateOrganization: ['other_organization', 'followed_organization'],
  getPet: ['endpoint_removed'],
  listEvents: ['events_expired'],
  streamEvents: ['events_expired'],
  createWebhook: ['other_organization', 'too_many_webhooks'],
  retryDelivery: ['webhook_not_found'],
  createOrder: ['other_organization', 'pet_not_found', 'pet_not_available', 'bonded', 'followed_animal'],
  updateOrder: ['order_closed', 'invalid_status_transition'],
  cancelOrder: ['order_closed'],
  createApplication: ['other_organization', 'pet_not_found', 'pet_not_available', 'followed_animal'],
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
    message: 'This cursor is not valid. Copy it unchanged from a Link header.',
  },
}

/** Example errors of an operation for one status, by error code. */
function exampleErrorsOf(
  { operationId, parameters }: Operation,
  status: number,
): Record<string, { value: object }> {
  const named = parameters?.find((parameter) => parameter.in === 'path')?.name.replace('Id', '_not_found')
  const own: string[] = [
    ...(REFUSALS[operationId as keyof typeof REFUSALS] ?? []),
    ...(named ? [named] : []),
    ...(parameters?.some(({ name }) => name === 'Idempotency-Key') ? ['idempotency_key_in_use'] : []),
    'insufficient_access',
  ]
  const errors = Object.entries(ERRORS).filter(([code, [of]]) => {
    return of === status && (![403, 404, 409, 410].includes(status) || own.includes(code))
  })
  return Object.fromEntries(
    errors.map(([code, [, message]]) => {
      const detail = DETAILS[code as ErrorCode]
      return [code, { value: { code, message, status, ...(detail && { details: [detail] }) } }]
    }),
  )
}
