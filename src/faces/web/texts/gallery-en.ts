/** Words of the gallery. */
export const gallery = {
  title: 'Animals that look for a home',
}
