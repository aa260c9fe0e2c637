-- Up Migration
-- Failed payments are mailed, too; the subject is the subscription and the end of its period.

alter table notices drop constraint notices_kind_check;
alter table notices add constraint notices_kind_check check (kind in ('quota-80', 'quota-100', 'key-expires', 'payment-failed'));
