// The parts of the OpenAPI document that the reference uses. ../openapi-document.ts makes the document.

type Stability = 'beta' | 'experimental'

export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: string[]
  description?: string
  default?: string | number
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  maxItems?: number
  pattern?: string
  items?: Schema
  /** One value, or a list of such values. */
  oneOf?: [Schema, Schema]
  properties?: Record<string, Schema>
  additionalProperties?: Schema
  required?: string[]
  'x-stability'?: Stability
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
  example?: unknown
}

type Content = Record<string, { schema: Schema; examples?: Record<string, { value: unknown }> }>

interface Header {
  description: string
  schema: Schema
}

export interface ApiResponse {
  description: string
  headers?: Record<string, Header>
  content?: Content
}

interface Ref {
  $ref: string
}

export interface Operation {
  operationId: string
  summary: string
  description?: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { description?: string; content: Content }
  responses: Record<string, ApiResponse>
  'x-access': string
  'x-stability'?: Stability
  'x-deprecated-sunset'?: string
}

export interface OpenApiDocument {
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    headers: Record<string, Header>
    responses: Record<string, ApiResponse>
  }
}

export interface Call extends Operation {
  method: string
  path: string
}

/** All operations. References in their responses are resolved. */
export function callsOf({ paths, components }: OpenApiDocument): Call[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      responses: mapValues(operation.responses, (answer) => {
        const { headers, ...rest } = dereference(answer, components.responses)
        return { ...rest, ...(headers && { headers: mapValues(headers, toHeader) }) }
      }),
    })),
  )
  function toHeader(header: Header | Ref): Header {
    return dereference(header, components.headers)
  }
}

function dereference<Value extends object>(value: Value | Ref, named: Record<string, Value>): Value {
  return '$ref' in value ? (named[value.$ref.split('/').at(-1) ?? ''] as Value) : (value as Value)
}

function mapValues<Value, To>(record: Record<string, Value>, to: (value: Value) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
}

/** The name of a schema in `components.schemas` if `schema` is a reference; otherwise undefined. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.slice('#/components/schemas/'.length)
}

/** The schema of a body and its media types, the preferred media type first. */
export function bodyOf({ requestBody }: Operation): { types: string[]; schema: Schema } | undefined {
  const [first] = Object.values(requestBody?.content ?? {})
  return first && { types: Object.keys(requestBody?.content ?? {}), schema: first.schema }
}
