/**
 * What to do where nobody can listen.
 *
 * @param port what it is set by, as host is
 * @param code of the failure
 */
export function portAdvice(port: string, host: string, code: string): string {
  if (code === 'EADDRINUSE') return `stop that one (ss -ltnp shows it), or set ${port}`
  return `choose another ${host} or ${port}; ports below 1024 need rights`
}
