-- Up Migration
-- Sign-in and the management API: accounts can be disabled and deleted; keys have versions, to detect concurrent updates.

alter table users
  add column disabled_at timestamptz,                                  -- can neither sign in nor capture
  add column deleted_at  timestamptz;                                  -- personal data is deleted; the row remains until the images are removed
create index users_deleted_at on users (deleted_at) where deleted_at is not null;
create index users_newest on users (created_at desc, id desc);

alter table api_keys add column version integer not null default 1;

create function notify_user () returns trigger language plpgsql as $$
begin
  perform pg_notify('accounts', new.id::text);
  return null;
end $$;
create trigger users_disabled
  after update of disabled_at on users for each row
  when (old.disabled_at is distinct from new.disabled_at) execute function notify_user();
