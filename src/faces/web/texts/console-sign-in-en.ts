import type { LinkKind } from '../../../staff/links.ts'
import { NEEDS_HTTPS } from '../../../staff/session-cookie.ts'

/** Words for those who are not signed in yet. */
export const signIn = {
  title: 'Sign in',
  email: 'E-mail address',
  password: 'Password',
  passwordHint: (least: number) =>
    `At least ${least} characters. Four words that do not belong together are good.`,
  showPassword: 'Show',
  button: 'Sign in',
  lost: 'No password, or lost it? Ask a manager of your shelter for a new link.',
  wrong: 'Please look at this again',
  notices: {
    signedOut: 'You are signed out.',
    signedOutAll: 'You are signed out, here and everywhere else.',
  },
  problems: {
    wrong: 'The e-mail address or the password is not right.',
    wait: (minutes: number) =>
      minutes === 1
        ? 'That was tried too often. Wait a minute, then try again.'
        : `That was tried too often. Wait ${minutes} minutes, then try again.`,
    email: 'This has to be an e-mail address, such as ana@shelter.example.',
    emailTaken: 'Somebody has an account with this e-mail address already.',
    name: 'Give a name of 1 to 200 characters.',
    tooShort: (least: number) => `The password needs at least ${least} characters.`,
    tooLong: (most: number) => `The password can have at most ${most} characters.`,
    common:
      'Many people would think of this password. Choose another, such as four words that do not belong together.',
    samePassword: 'This is the password that you have. Choose another one.',
    role: 'Choose a role. An admin belongs to no organization.',
    organization: 'There is no such organization.',
  },
  needsHttps: {
    title: 'Nobody can sign in at this address',
    advice:
      'This page was opened over plain http, where everybody on the way could read a password, and where browsers keep no session.',
    how: [
      'Open the address that begins with https, where there is one.',
      `For whoever runs this service: ${NEEDS_HTTPS}`,
    ],
  },
}

/** Words of the page that a one-time link leads to. */
export const join = {
  titles: {
    first: 'Make the first account',
    invitation: 'Welcome',
    reset: 'Choose a new password',
  } as Record<LinkKind, string>,
  leads: {
    first:
      'It belongs to you, and may do everything here: invite others, give keys to programs, change organizations.',
    invitation: 'Choose the password with which you will sign in from now on.',
    reset: 'It takes the place of the one you had, and signs you out everywhere else.',
  } as Record<LinkKind, string>,
  name: 'Your name',
  nameHint: 'Others see it beside what you do.',
  password: 'Password',
  buttons: {
    first: 'Make the account',
    invitation: 'Start',
    reset: 'Save the password',
  } as Record<LinkKind, string>,
  over: {
    title: 'This link is not good any more',
    advice: [
      'A link works once, within three days, and a new one ends those before.',
      'If you have a password already, sign in. Otherwise ask whoever invited you for a new link. Whoever runs this service can make one too, with the command “adoptable staff”.',
    ],
    toSignIn: 'Sign in',
  },
}
