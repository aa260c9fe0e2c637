-- Up Migration
-- The queue asks how many deliveries of an account wait.

create index webhook_deliveries_pending on webhook_deliveries (user_id) where state = 'pending';
