import type { Access } from '../../../access.ts'

/** Words about keys of programs. */
export const keys = {
  title: 'Keys',
  lead: 'A website or another program uses the service by a key.',
  none: 'There are no keys yet.',
  make: 'Make a key',
  makeTitle: 'Make a key',
  makeLead: 'Each program should have one of its own: then it can be revoked without stopping the others.',
  makeButton: 'Make the key',
  name: 'Name',
  nameHint: 'What or whom it is for, such as “our website”.',
  access: 'Access',
  accesses: { read: 'Read', write: 'Write', admin: 'Admin' } as Record<Access, string>,
  accessHints: {
    read: 'sees what the public sees; right for a website',
    write: 'adds and changes animals, adoptions and applications',
    admin: 'may do everything, in every organization',
  } as Record<Access, string>,
  plan: 'Plan',
  plans: { free: 'Free', pro: 'Pro', business: 'Business', enterprise: 'Enterprise' } as Record<
    string,
    string
  >,
  figures: (perMinute: number, perDay: number) =>
    `${perMinute.toLocaleString('en')} requests a minute, ${perDay.toLocaleString('en')} a day`,
  ownFigures: 'figures of its own, below',
  enterpriseOnly: 'Of an enterprise key only',
  perMinute: 'Requests a minute',
  perDay: 'Requests a day',
  organizationHint: 'A key of an organization changes its animals alone.',
  number: (id: number) => `Key ${id}`,
  numberLabel: 'Number',
  key: 'Key',
  madeTitle: (name: string) => `The key “${name}” is made`,
  madeLead: (id: number) =>
    `It has the number ${id} in the list. Put it where the program keeps its secrets.`,
  made: 'Made',
  valid: 'Valid',
  revoked: 'Revoked',
  revokedAt: 'Revoked',
  toList: 'Back to the keys',
  above: 'This key may do more than you, so you do not decide about it.',
  rotate: 'New secret',
  rotateHint: 'For one that too many have seen, or once in a while. Plan, counters and number stay.',
  overlap: 'The secret before still works for',
  overlaps: { '7d': '7 days', '24h': '24 hours', '1h': 'an hour', '0': 'no moment longer' } as Record<
    string,
    string
  >,
  rotateButton: 'Make a new secret',
  rotatedTitle: (name: string) => `“${name}” has a new secret`,
  rotatedLead: (end: string) => `The secret before works until ${end}.`,
  revoke: 'Revoke the key',
  revokeTitle: (name: string) => `Revoke the key “${name}”?`,
  revokeLead: 'Whatever uses it stops working at once, and nobody can take that back.',
  problems: {
    name: 'Give a name of 1 to 200 characters.',
    access: 'Choose what the key may do.',
    plan: 'Choose a plan.',
    count: 'This has to be a whole number from 1.',
    organization: 'There is no such organization.',
    admin: 'A key of an organization has read or write access: admin is for the whole installation.',
  },
}
