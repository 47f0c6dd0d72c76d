/** Whose what is: no row is written again, since all that is there belongs to nobody. */
export const ORGANIZATION_COLUMNS = (integer: string): string[] => [
  ...['api_key', 'pet', 'adoption_order'].map(
    (table) => `alter table ${table} add column organization_id ${integer} references organization (id)`,
  ),
  'alter table pet add column external_id text',
]

export const ORGANIZATION_INDEXES: string[] = [
  'create index api_key_by_organization on api_key (organization_id) where organization_id is not null',
  'create index pet_by_organization on pet (organization_id, id) where organization_id is not null',
  `create unique index pet_by_external_id on pet (coalesce(organization_id, 0), external_id)
    where external_id is not null`,
  'create index order_by_organization on adoption_order (organization_id, id) where organization_id is not null',
  `create index order_by_organization_and_status on adoption_order (organization_id, status, id)
    where organization_id is not null`,
  'create index organization_by_place on organization (latitude) where latitude is not null',
]
