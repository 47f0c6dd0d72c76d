import { readFileSync, writeFileSync } from 'node:fs'
import { ERRORS } from '../src/errors.ts'

// npm run generate -w client: src/schemas.ts and src/operations.ts from openapi.json and the list of errors.

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: (string | null)[]
  /** Values of which there may be more. */
  'x-extensible-enum'?: string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: Schema
  default?: unknown
}

interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description: string
  schema: Schema
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  deprecated?: boolean
  'x-stability'?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

interface Description {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const WIDTH = 110
const HEAD = '// Made by `npm run generate -w client`; changes here are lost.\n'
const MEDIA_TYPE = 'application/json'

/** The generated files, by their names. @throws on a description that asks for more than is foreseen here */
export function generate({ paths, components }: Description): Record<string, string> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation)),
  )
  const code = `  | '${Object.keys(ERRORS).join("'\n  | '")}'`
  const sent = sentSchemas({ paths, components })
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    schemaText(name, schema, sent.has(name)),
  )
  return {
    'schemas.ts': [
      HEAD,
      `/** What went wrong: of every error, by the catalogue of the service. */\nexport type ErrorCode =\n${code}\n`,
      ...schemas,
    ].join('\n'),
    'operations.ts': operationsText(operations),
  }
}

/** The names of all schemas that a body of a request is made of. */
function sentSchemas({ paths, components }: Description): Set<string> {
  const sent = new Set<string>()
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (sent.has(name)) continue
      sent.add(name)
      follow(components.schemas[name])
    }
  }
  for (const path of Object.values(paths))
    for (const { requestBody } of Object.values(path)) follow(requestBody)
  return sent
}

/** @param sent whether by the client: it leaves out what is undefined, so that may be given */
function schemaText(name: string, schema: Schema, sent: boolean): string {
  const head = `${comment(schema.description ?? '', '')}export `
  if (!schema.properties) return `${head}type ${nameOf(name)} = ${typeOf(schema)}\n`
  const members = Object.entries(schema.properties).map(([member, of]) => {
    // The description leaves it open; the catalogue names all.
    const type = name === 'Error' && member === 'code' ? 'ErrorCode' : typeOf(of)
    const optional = schema.required?.includes(member) ? '' : '?'
    const open = sent && optional ? ' | undefined' : ''
    const line = `  ${member}${optional}: ${type}${open}`
    return `${comment(of.description ?? '', '  ')}${line.length > COLUMNS ? inLines(line) : line}\n`
  })
  return `${head}interface ${nameOf(name)} {\n${members.join('')}}\n`
}

const COLUMNS = 110

/** A member that is one of more values than a line holds. */
function inLines(member: string): string {
  const lines = member.replaceAll(/ \| (?=')/g, '\n    | ')
  return lines.includes('<')
    ? lines.replace('<', '<\n    | ').replace('>', '\n  >')
    : lines.replace(': ', ':\n    | ')
}

/** Error is the name of a type of the language. */
function nameOf(schema: string): string {
  return schema === 'Error' ? 'ErrorBody' : schema
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return nameOf(schema.$ref.replace(/.*\//, ''))
  const values = schema.enum ?? schema['x-extensible-enum']
  if (values) return values.map((value) => (value === null ? 'null' : `'${value}'`)).join(' | ')
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ')
  if (schema.type === 'array' && schema.items) return listOf(typeOf(schema.items))
  if (schema.type === 'object' && schema.properties) {
    const members = Object.entries(schema.properties).map(
      ([name, of]) => `${name}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(of)}`,
    )
    return `{ ${members.join('; ')} }`
  }
  if (schema.type === 'object' && schema.additionalProperties) {
    return `Record<string, ${typeOf(schema.additionalProperties)}>`
  }
  if (schema.type === undefined) return 'unknown'
  return schema.type === 'integer' ? 'number' : schema.type
}

const listOf = (items: string): string => (items.includes(' | ') ? `(${items})[]` : `${items}[]`)

/** A parameter that may be repeated takes one value, or a list of them. */
function parameterType({ in: where, schema }: Parameter): string {
  if (where !== 'query' || schema.type !== 'array' || !schema.items) return typeOf(schema)
  return `OneOrMore<${typeOf(schema.items)}>`
}

interface Method {
  name: string
  text: string
  /** The type of its parameters, where it has one of its own. */
  parameters: string
  /** Names of all schemas that it mentions. */
  schemas: string[]
  /** The types of its options. */
  options: string[]
}

function describe(path: string, method: string, operation: Operation): Method {
  const { operationId: name, parameters = [], requestBody, responses } = operation
  const takesFile = requestBody !== undefined && !(MEDIA_TYPE in requestBody.content)
  const own = parameters.filter((parameter) => parameter.in !== 'header')
  const body = takesFile || !requestBody ? undefined : typeOf(requestBody.content[MEDIA_TYPE]?.schema ?? {})
  if (body && own.some((parameter) => parameter.in === 'query')) throw new Error(`${name}: body and query`)
  const [success] = Object.entries(responses).flatMap(([status, { content }]) => {
    return /^2/.test(status) ? [content ? typeOf(content[MEDIA_TYPE]?.schema ?? {}) : 'undefined'] : []
  })
  const headers = parameters.map((parameter) => parameter.name.toLowerCase())
  const once = headers.includes('idempotency-key')
  const read = headers.includes('if-none-match')
  const options = `${once ? 'Once' : ''}${headers.includes('if-match') ? 'Conditional' : ''}Options`
  const optionsType = takesFile ? 'FileOptions' : options === 'Options' ? 'CallOptions' : options
  const type = own.length > 0 ? `${name[0]?.toUpperCase()}${name.slice(1)}Parameters` : body
  const needed = body !== undefined || own.some(({ required }) => required)
  const inputs = [
    ...(type ? [`parameters: ${type}${needed ? '' : ' = {}'}`] : []),
    ...(takesFile ? ['file: Blob'] : []),
    `options: ${optionsType} = {}`,
  ]
  const told = `{ method: '${method.toUpperCase()}', path: '${path}'${once ? ', onceByKey: true' : ''}${takesFile ? ', takesFile: true' : ''} }`
  const sent = [told, type ? 'parameters' : '{}', 'options', ...(takesFile ? ['file'] : [])]
  return {
    name,
    text: `${comment(about(operation), '  ')}${read ? overloadsText(operation, inputs, `${success}`) : ''}${inBrackets('  ', `${name}(`, inputs, `): Promise<Answer<${success}>> {`)}
${inBrackets('    ', 'return this.send(', sent, ')')}
  }
`,
    parameters: own.length > 0 && type ? parametersText(type, own, body) : '',
    schemas: [success, body, ...own.map(({ schema }) => typeOf(schema.items ?? schema))].filter(
      (mentioned) => {
        return mentioned !== undefined && /^[A-Z]\w*$/.test(mentioned)
      },
    ) as string[],
    options: read ? [optionsType, 'ReadOptions'] : [optionsType],
  }
}

/** With an ETag of an earlier answer there may be no data in this one; without, there always is. */
function overloadsText(operation: Operation, inputs: string[], success: string): string {
  const { operationId: name } = operation
  const given = inputs.map((input) => input.replace(/: (.*) = \{\}$/, '?: $1'))
  const needed = inputs.slice(0, -1).map((input) => input.replace(' = {}', ''))
  const read = [...needed, 'options: ReadOptions']
  return [
    inBrackets('  ', `${name}(`, read, `): Promise<Answer<${success}> | NotModified>\n`),
    comment(about(operation), '  '),
    inBrackets('  ', `${name}(`, given, `): Promise<Answer<${success}>>\n`),
  ].join('')
}

function about(operation: Operation): string {
  const { summary, description = '', deprecated, 'x-stability': stability } = operation
  const marks = stability ? [`Stability: ${stability}.`] : []
  const text = [`${summary}.`, ...(deprecated ? [] : [description]), ...marks].filter(Boolean).join(' ')
  return deprecated ? `${text}\n@deprecated ${description}` : text
}

/** A list in brackets: in one line, or with one for each of its parts. */
function inBrackets(indent: string, before: string, parts: string[], after: string): string {
  const line = `${indent}${before}${parts.join(', ')}${after}`
  if (line.length <= WIDTH) return line
  return `${indent}${before}\n${indent}  ${parts.join(`,\n${indent}  `)},\n${indent}${after}`
}

function parametersText(type: string, own: Parameter[], body: string | undefined): string {
  const members = own.map((parameter) => {
    const { name, required, description, schema } = parameter
    const initial = schema.default === undefined ? '' : ` ${JSON.stringify(schema.default)} unless told.`
    const [mark, open] = required ? ['', ''] : ['?', ' | undefined']
    const line = `  ${name}${mark}: ${parameterType(parameter)}${open}`
    return `${comment(description + initial, '  ')}${line.length > COLUMNS ? inLines(line) : line}\n`
  })
  return `export interface ${type} ${body ? `extends ${body} ` : ''}{\n${members.join('')}}\n`
}

function operationsText(methods: Method[]): string {
  const unique = (names: string[]) => [...new Set(names)].sort()
  const schemas = unique(methods.flatMap((method) => method.schemas))
  const options = unique(methods.flatMap((method) => method.options))
  return `${HEAD}
import type { Answer, NotModified } from './answer.ts'
${importText([...options, 'AnyOptions', 'OneOrMore', 'Operation'], './request.ts')}
${importText(schemas, './schemas.ts')}

${methods
  .map(({ parameters }) => parameters)
  .filter(Boolean)
  .join('\n')}
/** Every operation of the service, under its operation id. */
export abstract class Operations {
  protected abstract send<Data>(
    operation: Operation,
    parameters: object,
    options: AnyOptions,
    file?: Blob,
  ): Promise<Answer<Data>>

${methods.map(({ text }) => text).join('\n')}}
`
}

function importText(names: string[], file: string): string {
  const all = [...new Set(names)].sort()
  const line = `import type { ${all.join(', ')} } from '${file}'`
  return line.length <= WIDTH ? line : inBrackets('', 'import type {', all, `} from '${file}'`)
}

/** A docstring, in as few lines as it fits; each line of the text begins a new one. */
function comment(text: string, indent: string): string {
  if (text === '') return ''
  if (!text.includes('\n') && indent.length + text.length + 7 <= WIDTH) return `${indent}/** ${text} */\n`
  const lines = text.split('\n').flatMap((part) => wrap(part, WIDTH - indent.length - 3))
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line += (line && ' ') + word
  }
  return [...lines, line]
}

export const DESCRIPTION: Description = JSON.parse(
  readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
)
export const SOURCES = new URL('src/', import.meta.url)

if (import.meta.main) {
  for (const [name, text] of Object.entries(generate(DESCRIPTION)))
    writeFileSync(new URL(name, SOURCES), text)
}
