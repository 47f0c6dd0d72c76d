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
    /** The access that the route requires, from src/access.ts. */
    access?: Access
    /** Errors of this route alone, for the API description: status and meaning. */
    errors?: Record<number, string>
    /** Headers that only this route reads, for the API description. */
    headers?: Record<string, { type: 'string'; description: string; minLength: number; maxLength: number }>
  }
}

export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/** Fastify, with types inferred from the schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxProvider
>

export type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void
