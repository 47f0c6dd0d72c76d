import type { ApiError } from '../errors.ts'
import type { Static, TSchema } from './type.ts'
import { validatorCompiler } from './validate.ts'

/** The validated body, or an error that lists all problems. */
type BodyResult<Value> = { value: Value; error?: undefined } | { value?: undefined; error: ApiError }

/**
 * Validates a value against the schema of a route's body, for values that did not arrive as JSON, such as an
 * HTML form.
 */
export function createBodyValidator<Schema extends TSchema>(
  schema: Schema,
): (body: unknown) => BodyResult<Static<Schema>> {
  const validate = validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '' })
  return (body) => validate(body) as BodyResult<Static<Schema>>
}

/** Like `createBodyValidator`, but throws. @throws {ApiError} validation_failed */
export function createBodyParser<Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const validate = createBodyValidator(schema)
  return (body) => {
    const { value, error } = validate(body)
    if (error) throw error
    return value as Static<Schema>
  }
}
