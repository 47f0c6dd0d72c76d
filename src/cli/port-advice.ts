/** What to do where nobody can listen. @param setting PORT or METRICS_PORT @param code of the failure */
export function portAdvice(setting: string, code: string): string {
  if (code === 'EADDRINUSE') return `stop that one (ss -ltnp shows it), or set ${setting}`
  return `choose another ${setting.replace('PORT', 'HOST')} or ${setting}; ports below 1024 need rights`
}
