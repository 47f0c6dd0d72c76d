import { type Kysely, sql } from 'kysely'

interface Engine {
  /** The column id, as the engine makes ids. */
  id: string
  integer: string
  /** What follows the columns of a table. */
  options: string
}

/** Of both engines: who would like to adopt which animal. Decision 29. */
export async function addApplications(db: Kysely<unknown>, { id, integer, options }: Engine): Promise<void> {
  const statements = [
    `create table application (
      ${id},
      pet_id ${integer} not null,
      organization_id ${integer} references organization (id),
      status text not null check (status in ('received', 'in_review', 'approved', 'declined', 'withdrawn')),
      reason text,
      applicant text,
      note text,
      reply text,
      link_hash text unique check (length(link_hash) = 64),
      placed_by ${integer} references api_key (id),
      received_at ${integer} not null,
      decided_at ${integer},
      decided_by ${integer} references api_key (id),
      closed_at ${integer},
      order_id ${integer} references adoption_order (id),
      check ((status in ('received', 'in_review')) = (decided_at is null)),
      check (applicant is not null or (note is null and reply is null and link_hash is null))
    ) ${options}`,
    // Each filter has an index that finds its rows in their order; the few of one animal are looked through.
    'create index application_by_status on application (status, id)',
    'create index application_by_pet on application (pet_id, id)',
    'create index application_by_pet_and_status on application (pet_id, status, id)',
    ...['organization_id', 'placed_by'].flatMap((owner) => [
      `create index application_by_${owner} on application (${owner}, id) where ${owner} is not null`,
      `create index application_by_${owner}_and_status on application (${owner}, status, id)
        where ${owner} is not null`,
    ]),
    `create index applicant_by_close on application (closed_at)
      where applicant is not null and closed_at is not null`,
  ]
  for (const statement of statements) await sql.raw(statement).execute(db)
}
