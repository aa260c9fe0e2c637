-- Up Migration
-- One authenticator app for each account: of several that were set up at the same moment, sign-ins found any. A confirmed one stays.

delete from two_factors a using two_factors b
 where a.user_id = b.user_id and a.id <> b.id and (b.verified, b.id) > (a.verified, a.id);
drop index two_factors_user_id;
create unique index two_factors_user_id on two_factors (user_id);
