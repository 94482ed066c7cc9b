-- Version 1 of the schema of campaigns: tables, and what readers may see of them. functions.sql has the functions that change them.
-- Run as warptune_administrator, within the transaction that makes or migrates the schema. A released version never changes.

-- Names of roles are not foreign keys, so a role that a campaign names may be dropped. Nobody but administrators sees the campaign then.
CREATE FUNCTION warptune.may_use(role_name text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN role_name IS NULL OR pg_has_role(session_user, 'warptune_administrator', 'MEMBER') OR EXISTS (SELECT FROM pg_roles r WHERE r.rolname = role_name AND pg_has_role(session_user, r.oid, 'MEMBER'));

-- One row.
CREATE TABLE warptune.store (
  version integer NOT NULL
);

CREATE TABLE warptune.campaign (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text NOT NULL UNIQUE,
  digest text NOT NULL,
  added timestamptz NOT NULL DEFAULT clock_timestamp(),
  cancelled boolean NOT NULL DEFAULT false,
  role_name text  -- Only members of this role use the campaign. NULL: all.
);

CREATE TABLE warptune.class (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  campaign bigint NOT NULL REFERENCES warptune.campaign,
  index bigint NOT NULL,
  priority bigint NOT NULL,
  bundle text NOT NULL,
  content json NOT NULL,
  UNIQUE (campaign, index)
);
CREATE INDEX class_bundle ON warptune.class (bundle) WHERE bundle <> '';

-- Attempts, leases and batches have no foreign keys: the check of each would write to the row of the task. Only functions write them.
-- Rows move between two partial indexes as their state changes, so pages keep room for new versions of rows.
CREATE TABLE warptune.task (
  campaign bigint NOT NULL,
  index bigint NOT NULL,
  class bigint NOT NULL REFERENCES warptune.class,
  sizes json NOT NULL,
  state text NOT NULL DEFAULT 'open',
  fence bigint NOT NULL DEFAULT 0,          -- Of the last attempt.
  retried_fence bigint NOT NULL DEFAULT 0,  -- Of the last attempt before a person retried the task.
  PRIMARY KEY (campaign, index)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX task_open ON warptune.task (class) WHERE state = 'open';
CREATE INDEX task_leased ON warptune.task (class) WHERE state = 'leased';

CREATE TABLE warptune.attempt (
  campaign bigint NOT NULL,
  task bigint NOT NULL,
  fence bigint NOT NULL,
  node text NOT NULL,
  ended_as text NOT NULL DEFAULT 'running',
  reason text NOT NULL DEFAULT '',
  started timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended timestamptz,
  outcome json,
  PRIMARY KEY (campaign, task, fence)
) WITH (fillfactor = 70);

-- The leases that have not ended. A heartbeat changes no indexed column, so that it writes no index.
CREATE TABLE warptune.lease (
  campaign bigint NOT NULL,
  task bigint NOT NULL,
  fence bigint NOT NULL,
  node text NOT NULL,
  request text NOT NULL,  -- Identifies the call that leased, for calls that are repeated.
  ends timestamptz NOT NULL,
  PRIMARY KEY (campaign, task)
) WITH (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 200);
CREATE INDEX lease_node ON warptune.lease (node);

-- One row: before `due` no lease ends. After a restart of the server all leases are renewed once, because no node could renew its own.
CREATE TABLE warptune.expiry (
  due timestamptz NOT NULL,
  server_started timestamptz NOT NULL
) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 200);
INSERT INTO warptune.expiry VALUES (clock_timestamp(), pg_postmaster_start_time());

-- How many tasks of each class were open and leased when all were counted last. Counting a large store for each node would be slow.
CREATE TABLE warptune.class_count (
  class bigint PRIMARY KEY REFERENCES warptune.class,
  open bigint NOT NULL,
  leased bigint NOT NULL
);
-- One row.
CREATE TABLE warptune.counting (
  counted timestamptz NOT NULL,
  tasks bigint NOT NULL
) WITH (fillfactor = 10);
INSERT INTO warptune.counting VALUES (clock_timestamp(), 0);

CREATE TABLE warptune.node (
  id text PRIMARY KEY,
  login name NOT NULL,  -- The user that entered it. No other user may act as this node.
  content json NOT NULL,
  entered timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen timestamptz NOT NULL DEFAULT clock_timestamp(),
  accepted boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);

CREATE TABLE warptune.refusal (
  node text NOT NULL REFERENCES warptune.node,
  class bigint NOT NULL REFERENCES warptune.class,
  reason text NOT NULL,
  PRIMARY KEY (node, class)
);

-- Nobody but administrators lists the digests. Whoever knows one reads the file, unless all campaigns that use it are hidden.
CREATE TABLE warptune.file (
  digest text PRIMARY KEY,
  bytes bytea NOT NULL
);
ALTER TABLE warptune.file ALTER bytes SET STORAGE EXTERNAL;

-- `written` is the transaction that stored the batch. Readers continue at the oldest transaction that was running when they read last.
CREATE TABLE warptune.batch (
  campaign bigint NOT NULL,
  task bigint NOT NULL,
  fence bigint NOT NULL,
  node text NOT NULL,
  sequence bigint NOT NULL,
  written xid8 NOT NULL DEFAULT pg_current_xact_id(),
  bytes bytea NOT NULL,
  PRIMARY KEY (campaign, task, fence, node, sequence)
);
ALTER TABLE warptune.batch ALTER bytes SET STORAGE EXTERNAL;  -- Batches are compressed already.
CREATE INDEX batch_written ON warptune.batch (written);

-- What readers see. The owner of the tables, warptune_administrator, sees everything.
ALTER TABLE warptune.campaign ENABLE ROW LEVEL SECURITY;
ALTER TABLE warptune.class ENABLE ROW LEVEL SECURITY;
ALTER TABLE warptune.task ENABLE ROW LEVEL SECURITY;
ALTER TABLE warptune.attempt ENABLE ROW LEVEL SECURITY;
ALTER TABLE warptune.refusal ENABLE ROW LEVEL SECURITY;
ALTER TABLE warptune.batch ENABLE ROW LEVEL SECURITY;
CREATE POLICY readers ON warptune.campaign FOR SELECT TO warptune_reader USING (warptune.may_use(role_name));
CREATE POLICY readers ON warptune.class FOR SELECT TO warptune_reader USING (campaign IN (SELECT id FROM warptune.campaign));
CREATE POLICY readers ON warptune.task FOR SELECT TO warptune_reader USING (campaign IN (SELECT id FROM warptune.campaign));
CREATE POLICY readers ON warptune.attempt FOR SELECT TO warptune_reader USING (campaign IN (SELECT id FROM warptune.campaign));
CREATE POLICY readers ON warptune.refusal FOR SELECT TO warptune_reader USING (class IN (SELECT id FROM warptune.class));
CREATE POLICY readers ON warptune.batch FOR SELECT TO warptune_reader USING (campaign IN (SELECT id FROM warptune.campaign));

GRANT USAGE ON SCHEMA warptune TO warptune_reader;
GRANT SELECT ON warptune.store, warptune.campaign, warptune.class, warptune.task, warptune.attempt, warptune.node, warptune.refusal,
  warptune.batch TO warptune_reader;
