/** How a value becomes text in a field of a form, and text a value. */
export type Kind =
  | 'line'
  | 'text'
  | 'choice'
  | 'idChoice'
  | 'yesOrNo'
  | 'check'
  | 'date'
  | 'list'
  | 'lines'
  | 'ids'
  | 'number'
  | 'kilograms'
  | 'money'
  | 'country'
  | 'currency'
  | 'email'
  | 'web'

export interface FormField {
  /** Where its value is in what the form is about, with a dot before a member of a member. */
  name: string
  kind: Kind
  /** Over the whole width. */
  wide?: boolean
}

export const field = (name: string, kind: Kind = 'line'): FormField => ({ name, kind })
export const wide = (name: string, kind: Kind = 'line'): FormField => ({ name, kind, wide: true })

interface Schema {
  maxLength?: number
  enum?: unknown[]
  properties?: Record<string, Schema>
}

/** What the contract asks of a field's value, by the schema of each member. */
export function schemaIn(members: Record<string, object>, name: string): Schema {
  const [member = '', part] = name.split('.')
  const schema: Schema = members[member] ?? {}
  return (part === undefined ? schema : schema.properties?.[part]) ?? {}
}
