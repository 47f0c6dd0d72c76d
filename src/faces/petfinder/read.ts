/** What a request needs for a route that reads: the key behind its token has access of some kind. */
export const READ = { access: 'read' } as const
