import { type Html, html, joinList, type Part, renderProse } from '../../../http/html.ts'
import { nameOf, type Parameter, type Schema } from './description.ts'

/** A link to the section on stability; undefined for a stable field or operation. */
export function badge(stability: string | undefined): Html | undefined {
  return stability === undefined ? undefined : html` <a class="badge" href="#stability">${stability}</a>`
}

/**
 * A part that readers open. A browser lays out open parts only, so the page appears soon. The id is inside,
 * because browsers open the parts around the target of a link.
 */
export function entry(id: string, heading: Part, content: Part): Html {
  return html`<details class="entry"><summary>${heading}</summary>
<div id="${id}">${content}</div></details>`
}

export function schemaLink(name: string): Html {
  return html`<a href="#schema-${name}">${name}</a>`
}

/** The type of a value, such as `array of Pet`. */
export function typeOf(schema: Schema): Part {
  const name = nameOf(schema)
  if (name !== undefined) return schemaLink(name)
  if (schema.oneOf) return html`${typeOf(schema.oneOf[0])} or ${typeOf(schema.oneOf[1])}`
  if (schema.items) return html`array of ${typeOf(schema.items)}`
  if (schema.additionalProperties) return 'object with one member for each changed member'
  if (schema.type === undefined) return 'any value'
  const type = [schema.type].flat().join(' or ')
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

/** The limits of a value, with one text for each limit. */
function limitsOf(schema: Schema): Part[] {
  const { minLength, maxLength, minimum, maximum, maxItems } = schema
  const limits: Part[] = []
  if (schema.enum) limits.push(joinList(codes(schema.enum), 'or'))
  if (maxLength !== undefined) limits.push(`${range(minLength, maxLength)} characters`)
  if (minimum !== undefined || maximum !== undefined) limits.push(range(minimum, maximum))
  if (maxItems !== undefined) limits.push(`at most ${maxItems} values`)
  if (schema.default !== undefined) limits.push(html`default: ${codes([schema.default])}`)
  return limits
}

const codes = (values: readonly (string | number)[]): Html[] =>
  values.map((value) => html`<code>${value}</code>`)

function range(min: number | undefined, max: number | undefined): string {
  if (max === undefined) return `at least ${min}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

interface Field {
  name: string
  schema: Schema
  resolved: Schema
  /** The `in` of a parameter, such as `query`. */
  location?: string
  required: boolean | undefined
  description: string | undefined
}

type Schemas = Record<string, Schema>

/** Returns the schema that a reference refers to, or the schema itself. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  return schemas[nameOf(schema) ?? ''] ?? schema
}

/** The members of an object, each followed by its own members if it is an object. */
export function membersOf(schema: Schema, schemas: Schemas, path = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const resolved = resolve(member, schemas)
    const required = schema.required?.includes(name)
    const field = { name: path + name, schema: member, resolved, required, description: resolved.description }
    return [field, ...membersOf(resolved, schemas, `${path}${name}.`)]
  })
}

export function parametersOf(parameters: Parameter[], schemas: Schemas): Field[] {
  return parameters.map(({ in: location, name, schema, required, description }) => {
    return { location, name, schema, resolved: resolve(schema, schemas), required, description }
  })
}

/** A table with two columns, so it fits on a phone: name with type, and meaning. */
export function fieldTable(caption: Part, fields: Field[]): Html {
  const rows = fields.map(({ name, schema, resolved, location, required, description }) => {
    const limits = limitsOf(resolved).map((limit) => html`<li>${limit}</li>`)
    const kind = html`${location}${location && ', '}${typeOf(schema)}${required ? ', required' : ''}`
    // Long paths may break after their dots.
    const path = name.split('.').map((part, index) => html`${index > 0 && html`.<wbr>`}${part}`)
    return html`<tr>
<th scope="row"><code>${path}</code>${badge(schema['x-stability'])}<small>${kind}</small></th>
<td>${renderProse(description)}${limits.length > 0 && html`<ul>${limits}</ul>`}</td></tr>`
  })
  return table(caption, ['Name', 'Meaning'], rows)
}

export function table(caption: Part, columns: Part[], rows: Html[], kind = ''): Html {
  const heads = columns.map((column) => html`<th scope="col">${column}</th>`)
  return html`<table class="${kind}"><caption>${caption}</caption><thead><tr>${heads}</tr></thead>
<tbody>${rows}</tbody></table>`
}

const WIDTH = 60

/** JSON for readers. A value that fits stays on one line. For a longer value, each part has its own line. */
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
