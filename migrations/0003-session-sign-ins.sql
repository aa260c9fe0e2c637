-- Up Migration
-- Page sessions that sign in by themselves, by steps.

alter table page_sessions
  add column sign_in        bytea,                       -- encrypted: address, steps and secrets, saved with the state of the first sign-in; null: a state was sent
  add column signed_in_at   timestamptz,                 -- by the steps; null: a state was sent
  add column sign_in_error  text,                        -- why the latest sign-in failed; null: it did not
  add column sign_in_until  timestamptz,                 -- while one is running: when it has ended at the latest
  add column sign_ins       integer not null default 0,  -- since sign_ins_since
  add column sign_ins_since timestamptz,
  add column is_restricted  boolean not null default false; -- saved by a key that is restricted to targets, and for it alone
