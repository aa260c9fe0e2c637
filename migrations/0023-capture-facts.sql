-- Up Migration
-- What a capture found out: the target's answer, warnings, and the time of each phase. Null for captures from before, and failed ones.

alter table screenshots
  add column target_status integer,
  add column final_url     text,
  add column warnings      jsonb,                                      -- list of texts
  add column timings       jsonb;                                      -- milliseconds of each phase: queue, navigate, wait, shoot
