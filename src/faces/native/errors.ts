import type { ApiError } from '../../errors.ts'
import type { Face } from '../../http/face.ts'
import { JSON_TYPE } from '../../http/send-error.ts'

/** Contract, section 2.4; details only where there are some. */
export const writeError: Face['writeError'] = ({ code, message, status, details }: ApiError) => ({
  type: JSON_TYPE,
  body: JSON.stringify({ code, message, status, details }),
})
