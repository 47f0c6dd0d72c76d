import { type Html, html, listed, type Part, prose } from '../../../http/html.ts'
import { nameOf, type Parameter, type Schema } from './description.ts'

/** A badge that the section on stability explains; nothing for what is stable. */
export function badge(stability: string | undefined): Html | undefined {
  return stability === undefined ? undefined : html` <a class="badge" href="#stability">${stability}</a>`
}

export function schemaLink(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`
}

/** What kind of value it is, in a few words. */
export function typeOf(schema: Schema): Part {
  const name = nameOf(schema)
  if (name !== undefined) return schemaLink(name)
  if (schema.items) return html`array of ${typeOf(schema.items)}`
  if (schema.additionalProperties) return 'object, one member for each changed one'
  if (schema.type === undefined) return 'any value'
  const type = [schema.type].flat().join(' or ')
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

/** What bounds the value, as parts of a sentence. */
function limitsOf(schema: Schema): Part[] {
  const { minLength, maxLength, minimum, maximum, maxItems } = schema
  const limits: Part[] = []
  if (schema.enum) limits.push(listed(codes(schema.enum), 'or'))
  if (maxLength !== undefined) limits.push(`${range(minLength, maxLength)} characters`)
  if (minimum !== undefined || maximum !== undefined) limits.push(range(minimum, maximum))
  if (maxItems !== undefined) limits.push(`at most ${maxItems} times`)
  if (schema.default !== undefined) limits.push(html`${codes([schema.default])} unless told otherwise`)
  return limits
}

const codes = (values: readonly (string | number)[]): Html[] =>
  values.map((value) => html`<code>${value}</code>`)

function range(least: number | undefined, most: number | undefined): string {
  if (most === undefined) return `at least ${least}`
  return least === undefined ? `at most ${most}` : `${least} to ${most}`
}

interface Field {
  name: string
  schema: Schema
  /** The same, if that is but a name. */
  known: Schema
  /** Where it goes, of a parameter. */
  location?: string
  required: boolean | undefined
  description: string | undefined
}

type Schemas = Record<string, Schema>

/** The schema itself, where only its name is given. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  return schemas[nameOf(schema) ?? ''] ?? schema
}

/** The members of an object, and behind each that is an object the members of that. */
export function membersOf(schema: Schema, schemas: Schemas, path = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const known = resolve(member, schemas)
    const required = schema.required?.includes(name)
    const field = { name: path + name, schema: member, known, required, description: known.description }
    return [field, ...membersOf(known, schemas, `${path}${name}.`)]
  })
}

export function parametersOf(parameters: Parameter[], schemas: Schemas): Field[] {
  return parameters.map(({ in: location, name, schema, required, description }) => {
    return { location, name, schema, known: resolve(schema, schemas), required, description }
  })
}

/** Two columns, so that it fits on a phone: the name with its kind, and what is to be said of it. */
export function fieldTable(caption: Part, fields: Field[]): Html {
  const rows = fields.map(({ name, schema, known, location, required, description }) => {
    const limits = limitsOf(known).map((limit) => html`<li>${limit}</li>`)
    const kind = html`${location}${location && ', '}${typeOf(schema)}${required ? ', required' : ''}`
    // A long path may break behind its dots.
    const path = name.split('.').map((part, index) => html`${index > 0 && html`.<wbr>`}${part}`)
    return html`<tr>
<th scope="row"><code>${path}</code>${badge(schema['x-stability'])}<small>${kind}</small></th>
<td>${prose(description)}${limits.length > 0 && html`<ul>${limits}</ul>`}</td></tr>`
  })
  return table(caption, ['Name', 'Meaning'], rows)
}

export function table(caption: Part, columns: Part[], rows: Html[], kind = ''): Html {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<table class="${kind}"><caption>${caption}</caption><thead><tr>${heads}</tr></thead>
<tbody>${rows}</tbody></table>`
}

const WIDTH = 60

/** JSON to read: what fits stays on one line, what does not has a line for each part. */
export function pretty(value: unknown, indent = ''): string {
  const line = spaced(value)
  if (typeof value !== 'object' || value === null || indent.length + line.length <= WIDTH) return line
  const within = `${indent}  `
  const [open, close, parts] = Array.isArray(value)
    ? ['[', ']', value.map((item) => pretty(item, within))]
    : ['{', '}', Object.entries(value).map(([name, item]) => `"${name}": ${pretty(item, within)}`)]
  return `${open}\n${parts.map((part) => within + part).join(',\n')}\n${indent}${close}`
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, item]) => `"${name}": ${spaced(item)}`)
  return `{${members.join(', ')}}`
}
