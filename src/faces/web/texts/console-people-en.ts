import type { Role } from '../../../access.ts'

/** Words about people with an account. */
export const people = {
  title: 'People',
  lead: 'Everybody who can sign in here.',
  invite: 'Invite somebody',
  inviteTitle: 'Invite somebody',
  inviteLead: 'They get a link by which they choose their own password. It works once, within three days.',
  inviteButton: 'Make the invitation',
  name: 'Name',
  role: 'Role',
  roleHints: {
    viewer: 'sees animals and numbers, and changes nothing',
    staff: 'adds and changes animals, and decides who adopts them',
    manager: 'also invites people, makes keys, and changes the organization',
    admin: 'may do everything, in every organization',
  } as Record<Role, string>,
  organization: 'Organization',
  organizationHint: 'Whoever belongs to one works with its animals alone.',
  everywhere: 'Every organization',
  you: 'You',
  invited: 'has not joined yet',
  since: 'Account since',
  toList: 'Back to the people',
  invitedTitle: (name: string) => `${name} is invited`,
  linkTitle: (name: string) => `A new link for ${name}`,
  sent: (email: string) => `The link was sent to ${email}. You can also hand it over yourself.`,
  handOver: (email: string) => `Send this link to ${email}, in a message that nobody else reads.`,
  link: 'Link',
  onlyOnce: 'It is shown only now. Whoever has it can use it.',
  copy: 'Copy',
  copied: 'Copied.',
  thisIsYou: 'This is you.',
  above: 'Only somebody with this role or a higher one decides about this person.',
  newLink: 'New link',
  newLinkHint: 'For a password that was lost. The one they have works until they follow the link.',
  newLinkInvited: 'For an invitation that was lost or is over. The one before ends.',
  newLinkButton: 'Make a new link',
  remove: 'Remove the account',
  removeTitle: (name: string) => `Remove the account of ${name}?`,
  removeHint:
    'They are signed out at once, and their name and address are erased. What they did stays in the history, as done by a former member of staff.',
}

/** Words about the own account. */
export const account = {
  title: 'Your account',
  password: 'Password',
  passwordHint: 'A change signs you out everywhere else.',
  current: 'Present password',
  next: 'New password',
  change: 'Change the password',
  wrongPassword: 'This is not your present password.',
  everywhere: 'Other devices',
  everywhereHint: 'Signs you out here and on every other device, such as one that was lost.',
  everywhereButton: 'Sign out everywhere',
}

/** What was done, by the name that an address has of it. */
export const peopleNotices = {
  welcome: 'You are signed in. Welcome!',
  personRemoved: 'The account is removed.',
  personGone: 'This account is not there any more.',
  passwordChanged: 'Your password is changed, and you are signed out everywhere else.',
  keyRevoked: 'The key is revoked. A request that carries it is refused from now on.',
  keyGone: 'This key was revoked before.',
}
