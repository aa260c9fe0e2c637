-- Up Migration
-- For queries over large accounts: failed captures, stored images, keys including revoked ones.

create index screenshots_failed on screenshots (user_id, id desc) where status = 'failed';
create index screenshots_kept on screenshots (id) where object_key is not null;

create index api_keys_of_user on api_keys (user_id);
drop index api_keys_user_id;                                           -- covered keys that aren't revoked; replaced by the new index
create index api_keys_replaced_by on api_keys (replaced_by) where replaced_by is not null;
