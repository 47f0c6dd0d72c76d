import type { SMTPTransportOptions } from 'nodemailer/lib/smtp-transport'
import type { Config } from '../config.ts'

/** A plain-text e-mail. */
export interface Email {
  /** Only the address, without a name. */
  to: string
  subject: string
  text: string
  replyTo?: string | undefined
  /** Unchanged if the same e-mail is sent again, so mail programs recognize it. */
  id?: string | undefined
}

export interface Mail {
  /** Whether the server accepted the e-mail. Never rejects. The log has the reason, without the address. */
  send(email: Email): Promise<boolean>
  /**
   * Resolves to false if the server refused this e-mail, for example because of its address, or did not say
   * whether it accepted the content.
   * @throws if the server accepts no e-mails at all, or cannot be reached
   */
  deliver(email: Email): Promise<boolean>
}

/** The time limit for each step of the conversation with the server, because a person waits for a page. */
const STEP_TIMEOUT_MS = 10_000
/** The limit for an answer when no person waits. It is long, because some servers scan the content first. */
const DELIVERY_TIMEOUT_MS = 60_000
/** The maximum number of e-mails sent at once. */
const MAX_CONCURRENCY = 5

/**
 * Opens the mail server of SMTP_URL.
 * @param onFailure called with the reason if an e-mail was not sent
 * @returns undefined if SMTP_URL is not set
 */
export function openMail(
  { smtpUrl, mailFrom }: Config,
  onFailure: (error: Error) => void,
  deliveryTimeoutMs = DELIVERY_TIMEOUT_MS,
): Mail | undefined {
  if (smtpUrl === undefined || mailFrom === undefined) return undefined
  let sending = 0

  /** @param onContent called when the server begins to receive the content */
  async function sendNow(
    { to, subject, text, replyTo, id }: Email,
    socketTimeout = STEP_TIMEOUT_MS,
    onContent?: () => void,
  ): Promise<void> {
    // Loads the library only when it sends an e-mail.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({ ...optionsOf(smtpUrl as string), socketTimeout })
    if (onContent)
      transport.use('stream', ({ message }, done) => {
        message.processFunc((content) => content.once('resume', onContent))
        done()
      })
    try {
      // An address in an object is not parsed, so a comma or bracket cannot add a second recipient.
      const recipient = { name: '', address: inOneLine(to) }
      const answers = replyTo && { replyTo: { name: '', address: inOneLine(replyTo) } }
      const headers = { from: mailFrom, to: recipient, subject: inOneLine(subject), ...answers }
      const messageId = id && { messageId: `<${id}@${/@([^@>]+)>?$/.exec(mailFrom as string)?.[1]}>` }
      await transport.sendMail({ ...headers, ...messageId, text, ...QUIET })
    } finally {
      transport.close()
    }
  }

  return {
    async send(email) {
      if (sending >= MAX_CONCURRENCY) {
        onFailure(new Error('too many e-mails are being sent'))
        return false
      }
      sending += 1
      try {
        await sendNow(email)
        return true
      } catch (error) {
        onFailure(new Error(reasonOf(error)))
        return false
      } finally {
        sending -= 1
      }
    },
    async deliver(email) {
      let isContentSent = false
      try {
        await sendNow(email, deliveryTimeoutMs, () => {
          isContentSent = true
        })
        return true
      } catch (error) {
        const reason = new Error(reasonOf(error))
        if (!isContentSent && !concernsOneEmail(error)) throw reason
        onFailure(reason)
        return false
      }
    },
  }
}

/** Whether the server, which accepts other e-mails, refused the recipient or the content of this one. */
function concernsOneEmail(error: unknown): boolean {
  const { command } = error as { command?: string }
  return ['API', 'RCPT TO', 'DATA'].includes(command ?? '')
}

/** Stops the library from attaching files or fetching content, and asks auto-responders not to answer. */
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
    // A password must not be sent unencrypted, except within this machine.
    requireTLS: hasUser && !secure && !/^(?:localhost|127\.[\d.]+|::1)$/.test(host),
    ...(hasUser && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: STEP_TIMEOUT_MS,
    greetingTimeout: STEP_TIMEOUT_MS,
    dnsTimeout: STEP_TIMEOUT_MS,
  }
}

/** Removes line breaks, so text from people cannot add a header. */
function inOneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
}

/** Reports only codes, because the message of the server may contain the address. */
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
  return `the mail server did not accept an e-mail (${details})`
}
