/** Where this face is. */
export const PREFIX = '/v2'
