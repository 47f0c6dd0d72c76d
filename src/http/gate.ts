import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import type { Hook } from './app.ts'
import type { Caller } from './caller.ts'
import type { Admission, Face, Gate } from './face.ts'
import { checkWellFormed } from './well-formed.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The error of the store, if it prevented the caller from being identified. */
    identifyError?: unknown
  }
  interface FastifyContextConfig {
    /** True if the route is open. An open route identifies no caller and counts no request. */
    open?: boolean
  }
}

type Done = (error?: Error) => void

/** The hooks that every request of a face passes, in this order. */
export function gateHooks({ gate }: Face): Hook[] {
  return [
    unlessOpen(identifyCaller(gate)),
    unlessOpen(admitCaller(gate)),
    unlessOpen(authorizeCaller(gate)),
    checkWellFormed,
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
    const identified = gate.identify(request.raw, request.ip)
    if (identified instanceof Promise) {
      identified.then(resolve, (cause: unknown) => {
        request.identifyError = cause
        resolve(gate.visitor(request.ip))
      })
    } else resolve(identified)
  }
}

/**
 * Charges the request to its caller, and adds the rate limit headers. Passes an error when the limit is
 * exceeded.
 */
export function admitCaller(gate: Gate): Hook {
  return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
    const resolve = ({ headers, refusal }: Admission): void => {
      reply.headers(headers)
      // If the key lookup failed, `authorizeCaller` answers 503 in every case, even when the limit is used
      // up.
      done(request.identifyError ? undefined : refusal)
    }
    const admission = gate.admit(request.caller)
    if (admission instanceof Promise) admission.then(resolve)
    else resolve(admission)
  }
}

export function authorizeCaller(gate: Gate): Hook {
  return ({ identifyError, caller, routeOptions, headers }, _reply, done) => {
    if (identifyError) done(new ApiError('service_unavailable', { cause: identifyError }))
    else done(gate.authorize(caller, routeOptions.config?.access, headers))
  }
}

/** Runs hooks outside of the router. @throws the first error that a hook passes */
export async function runHooks(hooks: Hook[], request: FastifyRequest, reply: FastifyReply): Promise<void> {
  for (const hook of hooks) {
    await new Promise<void>((resolve, reject) => {
      hook(request, reply, (error) => (error ? reject(error) : resolve()))
    })
  }
}
