-- Up Migration
-- For what is asked of all that an account has, where that is much: failed captures, pictures that are kept, keys with the revoked ones.

create index screenshots_failed on screenshots (user_id, id desc) where status = 'failed';
create index screenshots_kept on screenshots (id) where object_key is not null;

create index api_keys_of_user on api_keys (user_id);
drop index api_keys_user_id;                                           -- of keys that aren't revoked: the new one serves for both
create index api_keys_replaced_by on api_keys (replaced_by) where replaced_by is not null;
