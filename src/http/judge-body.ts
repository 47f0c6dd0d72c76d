import type { ApiError } from '../errors.ts'
import type { Static, TSchema } from './type.ts'
import { validatorCompiler } from './validate.ts'

/** What a body says, or all that is wrong with it. */
type Judged<Value> = { value: Value; error?: undefined } | { value?: undefined; error: ApiError }

/** Judges what came in another way, such as by a form, as the body of a route with this schema is judged. */
export function bodyJudge<Schema extends TSchema>(schema: Schema): (body: unknown) => Judged<Static<Schema>> {
  const validate = validatorCompiler({ schema, httpPart: 'body', method: 'POST', url: '' })
  return (body) => validate(body) as Judged<Static<Schema>>
}

/** The same. @throws {ApiError} validation_failed */
export function bodyReader<Schema extends TSchema>(schema: Schema): (body: unknown) => Static<Schema> {
  const judge = bodyJudge(schema)
  return (body) => {
    const { value, error } = judge(body)
    if (error) throw error
    return value as Static<Schema>
  }
}
