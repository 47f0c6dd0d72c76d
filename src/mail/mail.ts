import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport'
import type { Config } from '../config.ts'

/** A letter of plain text. */
export interface Letter {
  /** An e-mail address alone. */
  to: string
  subject: string
  text: string
}

export interface Mail {
  /** @returns whether the server has taken it; why not is in the log, without the address. Never rejects */
  send(letter: Letter): Promise<boolean>
}

/** Milliseconds for each step with the server: a person waits for a page meanwhile. */
const PATIENCE_MS = 10_000
/** So many letters are on their way at once. */
const MAX_CONCURRENCY = 5

/**
 * Sends by the server of SMTP_URL.
 *
 * @param tell hears why a letter was not sent
 * @returns undefined where there is none
 */
export function openMail({ smtpUrl, mailFrom }: Config, tell: (error: Error) => void): Mail | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined
  let sending = 0

  async function sendNow({ to, subject, text }: Letter): Promise<void> {
    // Loaded by those alone who send.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport(optionsOf(smtpUrl as string))
    try {
      // As an object the address is taken as it is: no comma or bracket in it makes two of one.
      const recipient = { name: '', address: inOneLine(to) }
      await transport.sendMail({ from: mailFrom, to: recipient, subject: inOneLine(subject), text, ...QUIET })
    } finally {
      transport.close()
    }
  }

  return {
    async send(letter) {
      if (sending >= MAX_CONCURRENCY) {
        tell(new Error('too many letters are on their way'))
        return false
      }
      sending += 1
      try {
        await sendNow(letter)
        return true
      } catch (error) {
        tell(new Error(reasonOf(error)))
        return false
      } finally {
        sending -= 1
      }
    },
  }
}

/** Nothing is read from files or fetched for a letter; programs that answer by themselves need not. */
const QUIET = {
  disableFileAccess: true,
  disableUrlAccess: true,
  headers: { 'Auto-Submitted': 'auto-generated' },
} as const

function optionsOf(url: string): SMTPTransportOptions {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const hasUser = username !== ''
  return {
    host,
    port: Number(port || (secure ? 465 : 587)),
    secure,
    // No password goes over a line that others may read.
    requireTLS: hasUser && !secure && !/^(?:localhost|127\.[\d.]+|::1)$/.test(host),
    ...(hasUser && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    dnsTimeout: PATIENCE_MS,
  }
}

/** Headers are lines: what comes from people makes no further one. */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** What the server says may name the address: its code alone is told. */
function reasonOf(error: unknown): string {
  const {
    code = 'unknown',
    responseCode,
    command,
  } = error as {
    code?: string
    responseCode?: number
    command?: string
  }
  const details = [code, responseCode, command].filter(Boolean).join(' ')
  return `the mail server did not take a letter (${details})`
}
