-- Up Migration
-- Keys that accept signed requests only.

alter table api_keys add column require_signature boolean not null default false;

drop trigger api_keys_changed on api_keys;
create trigger api_keys_changed
  after insert or delete or update of hash, allowed_domains, allowed_targets, allow_missing_origin, require_signature, enabled, expires_at, revoked_at
  on api_keys for each row execute function notify_account();
