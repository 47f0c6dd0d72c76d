import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Access } from '../access.ts'
import type { Static, TSchema } from './type.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do for this route, as src/access.ts has it. */
    access?: Access
    /** Errors that only this route answers, for the description: status and meaning. */
    errors?: Record<number, string>
    /** Headers that only this route reads, for the description. */
    headers?: Record<string, { type: 'string'; description: string; minLength: number; maxLength: number }>
  }
}

export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/** Fastify, with types that follow from the schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxProvider
>

export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void
