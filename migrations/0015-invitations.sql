-- Up Migration
-- Invitations: one-time links with which people sign up. The statement that creates an account also claims its invitation.

create table invitations (
  id         uuid primary key default gen_random_uuid(),
  token_hash bytea not null unique check (octet_length(token_hash) = 32), -- SHA-256; the token itself is never stored
  is_first   boolean not null default false,                           -- for the first account, which becomes an administrator
  email      text,                                                     -- null: any address
  plan_id    text references plans,                                    -- null: the free plan
  created_by uuid references users on delete set null,                 -- null: made by command, or the user is gone
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at    timestamptz,
  revoked_at timestamptz
);
create index invitations_newest on invitations (created_at desc, id desc);

alter table users add column invitation_id uuid unique references invitations on delete set null;

-- Of concurrent sign-ups with one invitation, the row's lock lets one through; the others' accounts are not created.
create function claim_invitation () returns trigger language plpgsql as $$
declare
  claimed invitations;
begin
  update invitations set used_at = now()
   where id = new.invitation_id and used_at is null and revoked_at is null and expires_at > now()
     and (email is null or email = new.email)
     and (not is_first or not exists (select 1 from users where id <> new.id))
  returning * into claimed;
  if not found then
    raise exception 'the invitation is not valid';
  end if;
  if claimed.is_first then
    update users set role = 'admin' where id = new.id;
  end if;
  if claimed.plan_id <> 'free' then
    insert into subscriptions (user_id, plan_id, source, status, anchor)
    values (new.id, claimed.plan_id, 'manual', 'active', date_trunc('second', now()));
  end if;
  return null;
end $$;
create trigger users_invited
  after insert on users for each row when (new.invitation_id is not null) execute function claim_invitation();
