import { ConfigError, isDecodable } from './setting.ts'

export function smtpUrl(value: string): string | undefined {
  if (value === '') return undefined
  const isAddress = /^smtps?:\/\/[^/?#]+$/.test(value) && URL.canParse(value)
  if (isAddress && new URL(value).hostname !== '' && isDecodable(value)) return value
  throw new ConfigError(
    'must be smtp://user:password@host:port or, with TLS from the beginning, smtps://…, with / # % @ in user and password written as %2F %23 %25 %40',
  )
}

/** An address, or a name and an address in brackets: it stands in a header. */
export function sender(value: string): string | undefined {
  if (value === '') return undefined
  if (
    /^(?:[^\p{Cc}<>",;:@\\]{1,100} <[^\s<>,;@]{1,64}@[\w.-]{1,190}>|[^\s<>,;@]{1,64}@[\w.-]{1,190})$/u.test(
      value,
    )
  )
    return value
  throw new ConfigError(
    'must be an e-mail address such as pets@shelter.example, or a name and <pets@shelter.example>',
  )
}
