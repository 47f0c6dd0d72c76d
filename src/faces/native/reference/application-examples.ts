const APPLICATION = {
  id: 1,
  petId: 1,
  status: 'received',
  receivedAt: '2026-12-01T10:00:00.000Z',
  applicant: { name: 'A. Applicant', email: 'applicant@example.org' },
  message: 'We have a garden.',
}
const ANSWERS = [{ question: 'Who is at home during the day?', answer: 'I am.' }]
const { message: _, ...SENT } = APPLICATION

/** Examples of the operations of applications. */
export const APPLICATION_EXAMPLES = {
  listApplications: { query: { status: 'received' }, answer: [APPLICATION] },
  createApplication: {
    body: { petId: 1, applicant: APPLICATION.applicant, answers: ANSWERS },
    answer: { ...SENT, id: 2, answers: ANSWERS },
  },
  getApplication: { path: { applicationId: '1' }, answer: APPLICATION },
  updateApplication: {
    path: { applicationId: '1' },
    body: { status: 'declined', reply: 'Rex needs a larger garden.' },
    answer: {
      ...APPLICATION,
      status: 'declined',
      decidedAt: '2026-12-01T10:00:00.000Z',
      decidedBy: 1,
      reply: 'Rex needs a larger garden.',
    },
  },
}
