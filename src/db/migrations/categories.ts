/** The categories of a new store: Petfinder's animal types, which every shelter knows. */
export const FIRST_CATEGORIES = [
  'Dog',
  'Cat',
  'Rabbit',
  'Small & furry',
  'Horse',
  'Bird',
  'Scales, fins & other',
  'Barnyard',
]
