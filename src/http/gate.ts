import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Hook } from './app.ts'
import type { Caller } from './caller.ts'
import type { Admission, Face, Gate } from './face.ts'
import { wellFormed } from './well-formed.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why nobody can tell who the caller is: the store did not answer. */
    unidentified?: unknown
  }
  interface FastifyContextConfig {
    /** Whether the route asks nobody who they are, and counts no request. */
    open?: boolean
  }
}

type Done = (error?: Error) => void

/** Every request of a face passes these, in this order. */
export function gateHooks({ gate }: Face): Hook[] {
  return [
    unlessOpen(identifyCaller(gate)),
    unlessOpen(admitCaller(gate)),
    unlessOpen(authorizeCaller(gate)),
    wellFormed,
  ]
}

function unlessOpen(hook: Hook): Hook {
  return (request, reply, done) => {
    if (request.routeOptions.config?.open) done()
    else hook(request, reply, done)
  }
}

export function identifyCaller(gate: Gate): Hook {
  return (request: FastifyRequest, _reply: FastifyReply, done: Done): void => {
    const resolve = (caller: Caller): void => {
      request.caller = caller
      done()
    }
    const known = gate.identify(request.raw, request.ip)
    if (known instanceof Promise) {
      known.then(resolve, (cause: unknown) => {
        request.unidentified = cause
        resolve(gate.visitor(request.ip))
      })
    } else resolve(known)
  }
}

/** Describes the limit in the answer's headers; an error when it is used up. */
export function admitCaller(gate: Gate): Hook {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const resolve = ({ headers, refusal }: Admission): void => {
      reply.headers(headers)
      // Whose key it is could not be looked up: what counts is that, and not what the address has left.
      done(request.unidentified ? undefined : refusal)
    }
    const admission = gate.admit(request.caller)
    if (admission instanceof Promise) admission.then(resolve)
    else resolve(admission)
  }
}

export function authorizeCaller(gate: Gate): Hook {
  return ({ unidentified, caller, routeOptions, headers }, _reply, done) => {
    if (unidentified) done(new ApiError('service_unavailable', { cause: unidentified }))
    else done(gate.authorize(caller, routeOptions.config?.access, headers))
  }
}

/** Runs hooks outside of the router. @throws what the first of them refuses with */
export async function pass(hooks: Hook[], request: FastifyRequest, reply: FastifyReply): Promise<void> {
  for (const hook of hooks) {
    await new Promise<void>((resolve, reject) => {
      hook(request, reply, (error) => (error ? reject(error) : resolve()))
    })
  }
}
