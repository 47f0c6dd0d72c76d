import { type Kysely, sql } from 'kysely'
import { ORGANIZATION_COLUMNS, ORGANIZATION_INDEXES } from '../organizations.ts'

const ADD = `
  insert into inventory (organization_id, category_id, status, pets)
  values (coalesce(new.organization_id, 0), new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1;`

const SUBTRACT = `
  update inventory set pets = pets - 1
  where organization_id = coalesce(old.organization_id, 0)
    and category_id = old.category_id and status = coalesce(old.status, 'unlisted');`

/** Animals are counted by their organization too; 0 stands for none. */
const INVENTORY = [
  'alter table inventory rename to counted',
  `create table inventory (
    organization_id integer not null,
    category_id integer not null,
    status text not null,
    pets integer not null check (pets >= 0),
    primary key (organization_id, category_id, status)
  ) strict, without rowid`,
  'insert into inventory select 0, category_id, status, pets from counted',
  'drop table counted',
  ...['added', 'removed', 'moved'].map((what) => `drop trigger pet_is_${what}`),
  `create trigger pet_is_added after insert on pet begin ${ADD} end`,
  `create trigger pet_is_removed after delete on pet begin ${SUBTRACT} end`,
  `create trigger pet_is_moved after update of category_id, status, organization_id on pet
    when old.category_id <> new.category_id or old.status is not new.status
      or old.organization_id is not new.organization_id
    begin ${ADD} ${SUBTRACT} end`,
]

/** What is kept ready is made of organizations too: keys belong to them. */
const REVISION = ['insert', 'update', 'delete'].map(
  (event) => `create trigger organization_${event}_is_counted after ${event} on organization
    begin update revision set pages = pages + 1; end`,
)

export async function up(db: Kysely<unknown>): Promise<void> {
  const organization = `create table organization (
    id integer primary key autoincrement,
    code text not null,
    folded_code text not null unique,
    name text not null,
    folded_name text not null,
    country text,
    region text,
    latitude integer,
    longitude integer,
    profile text not null check (json_valid(profile)),
    created_at integer not null,
    updated_at integer not null
  ) strict`
  const statements = [organization, ...ORGANIZATION_COLUMNS('integer'), ...ORGANIZATION_INDEXES]
  for (const statement of [...statements, ...INVENTORY, ...REVISION]) await sql.raw(statement).execute(db)
}
