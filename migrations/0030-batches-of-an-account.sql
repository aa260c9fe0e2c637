-- Up Migration
-- The list of an account's batches, newest first.

create index batches_account on batches (user_id, id);
