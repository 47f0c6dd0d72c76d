/** Petfinder's types of animal, known to every shelter: what a new store begins with, on either engine. */
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
