import { ApiError } from '../errors.ts'
import type { Admission } from '../http/face.ts'
import type { Account, Limiter, Ruling } from './limiter.ts'

/** Charges a request to an account, with headers as the contract has them (section 8.2). */
export function charge(limiter: Limiter, account: Account): Admission | Promise<Admission> {
  const ruling = limiter.take(account)
  return ruling instanceof Promise ? ruling.then(toAdmission) : toAdmission(ruling)
}

function toAdmission(ruling: Ruling): Admission {
  const { limit, remaining, resetAtSeconds } = ruling
  const headers = {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetAtSeconds),
  }
  return { headers, refusal: refusalOf(ruling) }
}

function refusalOf({ outcome, retryAfterSeconds, lost }: Ruling): ApiError | undefined {
  if (lost !== undefined) return new ApiError('service_unavailable', { cause: lost })
  if (outcome === 'allowed') return undefined
  const code = outcome === 'banned' ? 'api_key_banned' : 'rate_limit_exceeded'
  return new ApiError(code, { headers: { 'retry-after': String(retryAfterSeconds) } })
}
