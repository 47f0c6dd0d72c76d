type Words = Record<string, string>

/** Words of the application form, and of the page on which an applicant follows what becomes of it. */
export const apply = {
  title: (name: string) => `Apply for ${name}`,
  lead: (name: string, shelter: string | undefined) =>
    `Tell ${shelter ?? 'the shelter'} who you are, and why ${name} would be happy with you. It takes a few minutes and binds you to nothing.`,
  reserved: (name: string) =>
    `${name} is reserved at the moment. That does not always work out, so you may apply all the same.`,
  allNeeded: 'Please answer everything that is not marked as optional.',
  you: 'About you',
  fields: {
    name: 'Your name',
    email: 'E-mail',
    phone: 'Phone',
    address: 'Address',
    message: 'Your message',
  } as Words,
  hints: {
    email: 'The shelter answers you here.',
    message: 'Who lives with you, how you live, and what else the shelter should know.',
  } as Words,
  optional: (label: string) => `${label} (optional)`,
  questions: 'What the shelter would like to know',
  yes: 'Yes',
  no: 'No',
  choose: 'Please choose',
  leaveEmpty: 'Leave this empty',
  privacy: (days: number) =>
    `Only the shelter reads this, to decide about your application; it is erased ${days} days after the decision or the adoption.`,
  send: 'Send the application',
  wrong: 'Please look at these again',
  missing: {
    name: 'Write your name.',
    email: 'Write your e-mail address, so that the shelter can answer you.',
  } as Words,
  missingAnswer: (question: string) => `Answer this: ${question}`,
  choice: (question: string) => `Choose one of the answers: ${question}`,
  email: 'This is no e-mail address. It looks like name@example.org.',
  tooLong: (label: string, most: number) => `${label}: at most ${most} characters.`,
  line: (label: string) => `${label}: this has signs that cannot be read. Type it again.`,
  tooFast: 'That was faster than a person can fill this in. Look through it once more, then send it again.',
  filledHidden:
    'Something filled in a field that people do not see, maybe a program that fills in forms. Look through what is here, then send it again.',
  tooOld:
    'This page was open for longer than a day. Everything you wrote is still here: please send it once more.',
  // Where no form is shown
  notAvailable: (name: string) => `${name} does not look for a home any more`,
  notAvailableAdvice: 'Others still do. Maybe one of them is for you.',
  tooMany: 'Too many applications in a short time',
  tooManyAdvice: (minutes: number) =>
    `From where you are, 20 applications came within an hour. Nothing was sent. Try again in ${minutes} minutes: go back in your browser then, where what you wrote may still be.`,
  notOurs: 'This did not come from our form',
  notOursAdvice: 'Nothing was changed. Open the page again, and send it from there.',
  // The applicant's page
  yours: (name: string) => `Your application for ${name}`,
  yoursGone: 'Your application',
  sent: 'Your application is sent. Thank you!',
  keep: 'Keep the address of this page: bookmark it, or send it to yourself. Only with it can you come back here and see the answer, and whoever has it can see this page.',
  statuses: {
    received: 'Received',
    in_review: 'Being looked at',
    approved: 'Approved',
    declined: 'Declined',
    withdrawn: 'Withdrawn',
    adopted: 'Adoption complete',
  } as Words,
  told: {
    received: 'The shelter has it, and will look at it.',
    in_review: 'Somebody at the shelter is looking at it.',
    approved: 'The shelter has chosen you, and will tell you what comes next.',
    declined: 'The shelter has decided otherwise. There may be others who fit you.',
    withdrawn: 'You have taken it back.',
    adopted: 'Congratulations, and a good life together!',
  } as Words,
  reasons: {
    adopted: 'Somebody else has adopted this animal. There may be others who fit you.',
    animal_removed: 'This animal does not look for a home any more. There may be others who fit you.',
  } as Words,
  status: 'Status',
  animal: 'Animal',
  receivedAt: 'Sent',
  decidedAt: 'Decided',
  reply: 'What the shelter writes to you',
  withdraw: 'Take the application back',
  withdrawText:
    'The shelter then knows that you do not want to adopt this animal any more. This cannot be undone; you can send a new application.',
  withdrawYes: 'Yes, take it back',
  erased: (days: number) =>
    `What you wrote is erased ${days} days after the decision or the adoption; this page is gone then too.`,
}
