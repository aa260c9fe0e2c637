-- Up Migration
-- A capture that a process without browsers waits for costs something only if its answer has left: that process confirms it until `answer_by`,
-- or a sweep returns what the capture cost.

alter table captures add column answer_by timestamptz;                 -- null: nothing to confirm, or confirmed
create index captures_unanswered on captures (answer_by) where answer_by is not null;
