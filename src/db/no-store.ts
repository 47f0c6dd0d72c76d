/** @param where it should be: `at` a file, or `in` a database */
export function noStore(where: string): Error {
  return new Error(`there is no store ${where}; start the service once, or set DATABASE_URL to another one`)
}
