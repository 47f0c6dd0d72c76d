import { type Static, Type } from '../http/type.ts'

export const InventoryQuery = Type.Object({
  organizationId: Type.Optional(
    Type.Integer({ format: 'int64', description: 'Count only animals of this organization.' }),
  ),
})

const count = (description: string) => Type.Integer({ minimum: 0, description })

const counts = {
  available: count('Animals looking for a home.'),
  pending: count('Animals with a pending adoption.'),
  sold: count('Adopted animals.'),
  unlisted: count('Animals without a status.'),
}

const Counts = Type.Object(counts, { title: 'Counts' })
export type Counts = Static<typeof Counts>

export const Inventory = Type.Object(
  {
    overall: Counts,
    categories: Type.Array(
      Type.Object({ categoryId: Type.Integer({ format: 'int64' }), ...counts }, { title: 'CategoryCounts' }),
      { description: 'All categories, sorted by id.' },
    ),
  },
  { title: 'Inventory', description: 'The number of animals in each status.' },
)
export type Inventory = Static<typeof Inventory>

export const StatisticsQuery = Type.Object({
  organizationId: Type.Optional(
    Type.Integer({
      format: 'int64',
      description: 'Count only animals of this organization. Default: the organization of the key, or all.',
    }),
  ),
  months: Type.Integer({
    description: 'The number of calendar months to count, the current one included.',
    minimum: 1,
    maximum: 60,
    default: 12,
  }),
})

const outcomes = {
  adopted: count('Adopted animals.'),
  transferred: count('Animals transferred to another organization.'),
  returnedToOwner: count('Animals returned to their owners.'),
  died: count('Animals that died.'),
}
export type OutcomeCounts = { [Name in keyof typeof outcomes]: number }

const days = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

const stay = {
  animals: count('Animals that left.'),
  lowerQuartile: days('A quarter of these animals stayed at most this many days.'),
  median: days('Half of these animals stayed at most this many days.'),
  upperQuartile: days('Three quarters of these animals stayed at most this many days.'),
}

const categoryId = Type.Integer({ format: 'int64' })
const day = (description: string) => Type.String({ format: 'date', description })

export const Statistics = Type.Object(
  {
    from: day('The first day that is counted.'),
    to: day('The last day that is counted, which is today in UTC.'),
    inCare: count('Animals in care today: they have arrived, and have no outcome yet.'),
    months: Type.Array(
      Type.Object(
        {
          month: Type.String({ description: 'Year and month, such as 2026-11.' }),
          categoryId,
          intakes: count('Animals that arrived, by `staff.intakeDate`, or else by the day they were added.'),
          ...outcomes,
        },
        { title: 'MonthCounts' },
      ),
      { description: 'By month and category. A month without intakes and outcomes is absent.' },
    ),
    liveReleaseRate: Type.Optional(
      Type.Number({
        description: 'The share of outcomes in which the animal left alive. Absent without outcomes.',
        minimum: 0,
        maximum: 1,
      }),
    ),
    lengthOfStay: Type.Object(
      {
        ...stay,
        categories: Type.Array(Type.Object({ categoryId, ...stay }, { title: 'CategoryStay' })),
      },
      { title: 'LengthOfStay', description: 'Lengths of stay in days of the animals that left.' },
    ),
    applications: Type.Object(
      {
        received: count('Applications received.'),
        animals: count('Animals with at least one application.'),
        perAnimal: Type.Optional(
          Type.Number({ minimum: 1, description: 'Applications for each of these animals.' }),
        ),
      },
      { title: 'ApplicationCounts' },
    ),
    waiting: Type.Array(
      Type.Object(
        {
          minDays: Type.Integer({ minimum: 0 }),
          maxDays: days('The end of the range. Absent in the last range.'),
          animals: count('The number of animals.'),
        },
        { title: 'WaitingCounts' },
      ),
      { description: 'The animals in care by the days since their intake.' },
    ),
  },
  {
    title: 'Statistics',
    description:
      'Computed from the animals as they are now. An animal that came back counts when it leaves again; removed ' +
      'animals do not count.',
  },
)
export type Statistics = Static<typeof Statistics>
