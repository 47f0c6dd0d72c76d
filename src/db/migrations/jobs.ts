/** What is done beside the requests, by one process at a time (decision 19): a row for each. */
export const JOB_TABLE = `create table job (
  name text not null primary key,
  holder text,
  beat bigint not null,
  due_at bigint not null,
  failures bigint not null default 0,
  ended_at bigint
)`
