/** What the supervisor tells its workers. */
export const STOP = 'stop'

/** What a person is told, once, when the service is there. */
export interface Greeting {
  address: string
  firstKey: string | undefined
  firstLink: string | undefined
}
