-- A store as it was before its fourteen steps became one: the tables, and the rows of a new store.
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE category (
    id integer primary key autoincrement,
    name text not null unique collate nocase,
    description text
  , folded_name text not null default '') strict;
CREATE TABLE pet (
    id integer primary key autoincrement,
    name text not null check (length(name) between 1 and 200),
    category_id integer not null references category (id),
    status text check (status in ('available', 'pending', 'sold'))
  , created_at integer not null default 0, created_by integer references api_key (id), updated_at integer not null default 0, version integer not null default 1) strict;
CREATE INDEX pet_by_status on pet (status, id);
CREATE TABLE api_key (
    id integer primary key autoincrement,
    name text not null,
    plan text not null check (plan in ('free', 'pro', 'business', 'enterprise')),
    access text not null check (access in ('read', 'write', 'admin')),
    per_minute integer check (per_minute > 0),
    per_day integer check (per_day > 0),
    created_at integer not null,
    revoked_at integer,
    check ((plan = 'enterprise') = (per_minute is not null) and (plan = 'enterprise') = (per_day is not null))
  ) strict;
CREATE TABLE api_key_secret (
    hash text primary key check (length(hash) = 64),
    key_id integer not null references api_key (id),
    created_at integer not null,
    expires_at integer
  ) strict, without rowid;
CREATE INDEX api_key_secret_by_key on api_key_secret (key_id);
CREATE TABLE counter (
    caller text primary key,
    minute_started_at integer not null,
    minute_used integer not null,
    day_started_at integer not null,
    day_used integer not null,
    banned_until integer not null,
    ban_seconds integer not null,
    expires_at integer not null
  ) strict, without rowid;
CREATE INDEX counter_by_expiry on counter (expires_at);
CREATE INDEX pet_by_category on pet (category_id, id);
CREATE INDEX pet_by_category_and_status on pet (category_id, status, id);
CREATE TABLE secret (
    name text primary key,
    value text not null check (length(value) = 64)
  ) strict, without rowid;
CREATE TABLE pet_change (
    id integer primary key autoincrement,
    pet_id integer not null,
    at integer not null,
    key_id integer not null references api_key (id),
    changes text not null check (json_valid(changes))
  ) strict;
CREATE INDEX pet_change_by_pet on pet_change (pet_id, id);
CREATE UNIQUE INDEX category_by_folded_name on category (folded_name);
CREATE TABLE idempotency (
    scope text primary key check (length(scope) = 64),
    fingerprint text not null check (length(fingerprint) = 64),
    result text,
    expires_at integer not null
  ) strict, without rowid;
CREATE INDEX idempotency_by_expiry on idempotency (expires_at);
CREATE TABLE adoption_order (
    id integer primary key autoincrement,
    pet_id integer not null,
    status text not null check (status in ('placed', 'approved', 'completed', 'cancelled')),
    adopter text check (json_valid(adopter)),
    placed_by integer not null references api_key (id),
    placed_at integer not null,
    decided_at integer,
    check ((status = 'placed') = (decided_at is null))
  ) strict;
CREATE UNIQUE INDEX open_order_by_pet on adoption_order (pet_id) where status in ('placed', 'approved');
CREATE INDEX adoption_order_by_status on adoption_order (status, id);
CREATE INDEX adoption_order_by_pet on adoption_order (pet_id, id);
CREATE INDEX adoption_order_by_key on adoption_order (placed_by, id);
CREATE INDEX adoption_order_by_key_and_status on adoption_order (placed_by, status, id);
CREATE INDEX adopter_by_close on adoption_order (decided_at)
    where adopter is not null and status in ('completed', 'cancelled');
CREATE TABLE inventory (
    category_id integer not null,
    status text not null,
    pets integer not null check (pets >= 0),
    primary key (category_id, status)
  ) strict, without rowid;
CREATE TRIGGER pet_is_added after insert on pet begin 
  insert into inventory (category_id, status, pets)
  values (new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1; end;
CREATE TRIGGER pet_is_removed after delete on pet begin 
  update inventory set pets = pets - 1
  where category_id = old.category_id and status = coalesce(old.status, 'unlisted'); end;
CREATE TRIGGER pet_is_moved after update of category_id, status on pet
    when old.category_id <> new.category_id or old.status is not new.status
    begin 
  insert into inventory (category_id, status, pets)
  values (new.category_id, coalesce(new.status, 'unlisted'), 1)
  on conflict do update set pets = pets + 1; 
  update inventory set pets = pets - 1
  where category_id = old.category_id and status = coalesce(old.status, 'unlisted'); end;
CREATE TABLE revision (pages integer not null, keys integer not null) strict;
CREATE TRIGGER pet_insert_is_counted after insert on pet
          begin update revision set pages = pages + 1; end;
CREATE TRIGGER pet_update_is_counted after update on pet
          begin update revision set pages = pages + 1; end;
CREATE TRIGGER pet_delete_is_counted after delete on pet
          begin update revision set pages = pages + 1; end;
CREATE TRIGGER category_insert_is_counted after insert on category
          begin update revision set pages = pages + 1; end;
CREATE TRIGGER category_update_is_counted after update on category
          begin update revision set pages = pages + 1; end;
CREATE TRIGGER category_delete_is_counted after delete on category
          begin update revision set pages = pages + 1; end;
CREATE TRIGGER api_key_insert_is_counted after insert on api_key
          begin update revision set keys = keys + 1; end;
CREATE TRIGGER api_key_update_is_counted after update on api_key
          begin update revision set keys = keys + 1; end;
CREATE TRIGGER api_key_delete_is_counted after delete on api_key
          begin update revision set keys = keys + 1; end;
CREATE TRIGGER api_key_secret_insert_is_counted after insert on api_key_secret
          begin update revision set keys = keys + 1; end;
CREATE TRIGGER api_key_secret_update_is_counted after update on api_key_secret
          begin update revision set keys = keys + 1; end;
CREATE TRIGGER api_key_secret_delete_is_counted after delete on api_key_secret
          begin update revision set keys = keys + 1; end;
CREATE TABLE pet_source (
    id integer primary key autoincrement,
    source text not null check (length(source) between 1 and 100),
    source_id text not null check (length(source_id) between 1 and 200),
    pet_id integer not null unique references pet (id) on delete cascade,
    unique (source, source_id)
  ) strict;
CREATE TABLE installation (
    only_row integer primary key check (only_row = 1),
    id text,
    home text,
    counter_store text
  ) strict;
CREATE TABLE known_time (
    name text primary key check (name = 'known'),
    at integer not null,
    credited_at integer not null,
    scrub_due integer not null default 0 check (scrub_due >= 0)
  ) strict;
CREATE INDEX adoption_order_by_pet_and_status on adoption_order (pet_id, status, id);
CREATE INDEX adoption_order_by_key_and_pet on adoption_order (placed_by, pet_id, id);
CREATE INDEX adoption_order_by_key_pet_and_status on adoption_order (placed_by, pet_id, status, id);
CREATE TABLE imported_file (
    fingerprint text not null primary key check (length(fingerprint) between 1 and 200),
    first_pet_id integer not null,
    imported_at integer not null
  ) strict;
insert into kysely_migration (name,timestamp) values ('0001-first','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0002-pages','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0003-pet-changes','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0004-category-names','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0005-idempotency','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0006-orders','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0007-inventory','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0008-revision','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0009-pet-sources','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0011-installation','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0012-known-time','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0013-order-indexes','2026-11-23T00:00:00.000Z');
insert into kysely_migration (name,timestamp) values ('0014-imported-files','2026-11-23T00:00:00.000Z');
insert into kysely_migration_lock (id,is_locked) values ('migration_lock',0);
insert into category (id,name,description,folded_name) values (1,'Dog',null,'dog');
insert into category (id,name,description,folded_name) values (2,'Cat',null,'cat');
insert into category (id,name,description,folded_name) values (3,'Rabbit',null,'rabbit');
insert into category (id,name,description,folded_name) values (4,'Small & furry',null,'small & furry');
insert into category (id,name,description,folded_name) values (5,'Horse',null,'horse');
insert into category (id,name,description,folded_name) values (6,'Bird',null,'bird');
insert into category (id,name,description,folded_name) values (7,'Scales, fins & other',null,'scales, fins & other');
insert into category (id,name,description,folded_name) values (8,'Barnyard',null,'barnyard');
insert into installation (only_row,id,home,counter_store) values (1,null,null,null);
insert into revision (pages,keys) values (0,0);
insert into secret (name, value) values ('cursor', lower(hex(randomblob(32))));
