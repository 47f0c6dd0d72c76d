/** Words of the console. */
export const console = {
  title: 'Console',
}
