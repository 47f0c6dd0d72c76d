/** Words of every page. */
export const common = {
  /** The name of the language in itself. */
  language: 'English',
  skip: 'Skip to the content',
  gallery: 'Animals',
  staff: 'For shelters',
  errorTitles: {
    400: 'This address cannot be read',
    403: 'This is not for you to see',
    404: 'There is nothing at this address',
    405: 'This page cannot be used that way',
    410: 'This page is gone',
    413: 'That was too much at once',
    415: 'This cannot be read',
    429: 'That was too much in a short time',
    500: 'Something went wrong here',
    503: 'We cannot answer right now',
  } as Record<number, string>,
  errorAdvice: {
    404: 'It may have been misspelt, or the page was removed.',
    429: 'Wait a minute, then try again.',
    500: 'It is written down, and the operator will see it. Try again later.',
    503: 'A part of the service does not answer. Nothing is lost. Try again in a moment.',
  } as Record<number, string>,
  toGallery: 'See all animals',
  /** Of the categories that every store begins with, by their names in lower case, where others are said. */
  kinds: {} as Record<string, string>,
  age: { baby: 'Baby', young: 'Young', adult: 'Adult', senior: 'Senior' } as Record<string, string>,
  sex: { female: 'Female', male: 'Male', unknown: 'Unknown' } as Record<string, string>,
  size: { small: 'Small', medium: 'Medium', large: 'Large', extra_large: 'Extra large' } as Record<
    string,
    string
  >,
}
