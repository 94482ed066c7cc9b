-- The functions of the store of campaigns, for the newest version of the schema. Run as warptune_administrator after the steps of the
-- schema, within the same transaction. Functions that change rows run with the rights of warptune_administrator (SECURITY DEFINER), so
-- that nodes need no rights on tables. They therefore check themselves which campaigns and nodes the user may use.
-- Errors with the SQLSTATE WT001 are input errors of the caller; their messages are shown as they are.
-- @lease_ms@, @quarantine_losses@ and @quarantine_nodes@ are the constants of fleet/task_record.h.

-- Checks
----------------------------------------------------------------------------------------------------
CREATE FUNCTION warptune.campaign_id(p_name text) RETURNS bigint
LANGUAGE plpgsql STABLE SET search_path = warptune, pg_temp AS $$
DECLARE
  found_id bigint;
BEGIN
  SELECT id INTO found_id FROM campaign WHERE name = p_name AND may_use(role_name);
  IF found_id IS NULL THEN
    RAISE EXCEPTION 'there is no campaign %', quote_literal(p_name) USING ERRCODE = 'WT001';
  END IF;
  RETURN found_id;
END $$;

-- A node that was entered belongs to the user who entered it.
CREATE FUNCTION warptune.require_node(p_node text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = warptune, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM node WHERE id = p_node AND login <> session_user)
     AND NOT pg_has_role(session_user, 'warptune_administrator', 'MEMBER') THEN
    RAISE EXCEPTION 'the node % was entered by another user than %', p_node, session_user USING ERRCODE = 'WT001';
  END IF;
END $$;

-- Campaigns, for administrators
----------------------------------------------------------------------------------------------------
CREATE FUNCTION warptune.add_campaign(p_name text, p_digest text, p_role text, p_classes json, p_tasks json) RETURNS void
LANGUAGE plpgsql SET search_path = warptune, pg_temp AS $$
DECLARE
  new_id bigint;
BEGIN
  IF p_role IS NOT NULL AND NOT EXISTS (SELECT FROM pg_roles WHERE rolname = p_role) THEN
    RAISE EXCEPTION 'there is no role %', quote_literal(p_role) USING ERRCODE = 'WT001';
  END IF;
  INSERT INTO campaign (name, digest, role_name) VALUES (p_name, p_digest, p_role) ON CONFLICT (name) DO NOTHING RETURNING id INTO new_id;
  IF new_id IS NULL THEN
    IF EXISTS (SELECT FROM campaign WHERE name = p_name AND digest = p_digest AND role_name IS NOT DISTINCT FROM p_role) THEN
      RETURN;
    END IF;
    RAISE EXCEPTION 'the store already has another campaign of the name %', quote_literal(p_name) USING ERRCODE = 'WT001';
  END IF;
  INSERT INTO class (campaign, index, priority, bundle, content)
    SELECT new_id, number - 1, (content->>'priority')::bigint, content->>'bundle', content
    FROM json_array_elements(p_classes) WITH ORDINALITY AS given (content, number);
  INSERT INTO task (campaign, index, class, sizes)
    SELECT new_id, given.number - 1, class.id, given.content->'sizes'
    FROM json_array_elements(p_tasks) WITH ORDINALITY AS given (content, number)
    JOIN class ON class.campaign = new_id AND class.index = (given.content->>'class')::bigint;
END $$;

CREATE FUNCTION warptune.cancel_leases(p_campaign bigint) RETURNS void
LANGUAGE sql SET search_path = warptune, pg_temp AS $$
  WITH ended AS (DELETE FROM lease WHERE campaign = p_campaign RETURNING task, fence)
  UPDATE attempt a SET ended_as = 'cancelled', ended = clock_timestamp() FROM ended
    WHERE a.campaign = p_campaign AND a.task = ended.task AND a.fence = ended.fence $$;

CREATE FUNCTION warptune.cancel(p_campaign text) RETURNS bigint
LANGUAGE plpgsql SET search_path = warptune, pg_temp AS $$
DECLARE
  this bigint := campaign_id(p_campaign);
  changed bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM task WHERE campaign = this AND state IN ('open', 'leased', 'quarantined')) THEN
    RETURN 0;  -- It has ended.
  END IF;
  UPDATE campaign SET cancelled = true WHERE id = this;
  PERFORM cancel_leases(this);  -- First, because reports lock a lease before its task.
  UPDATE task SET state = 'cancelled' WHERE campaign = this AND state IN ('open', 'leased', 'quarantined');
  GET DIAGNOSTICS changed = ROW_COUNT;
  PERFORM cancel_leases(this);  -- Those that began meanwhile.
  RETURN changed;
END $$;

CREATE FUNCTION warptune.retry(p_campaign text) RETURNS bigint
LANGUAGE plpgsql SET search_path = warptune, pg_temp AS $$
DECLARE
  this bigint := campaign_id(p_campaign);
  changed bigint;
BEGIN
  UPDATE campaign SET cancelled = false WHERE id = this;
  UPDATE task SET state = 'open', retried_fence = fence WHERE campaign = this AND state IN ('failed', 'quarantined', 'cancelled');
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN changed;
END $$;

CREATE FUNCTION warptune.put_file(p_digest text, p_bytes bytea) RETURNS void
LANGUAGE sql SET search_path = warptune, pg_temp
AS $$ INSERT INTO file VALUES (p_digest, p_bytes) ON CONFLICT (digest) DO NOTHING $$;

CREATE FUNCTION warptune.accept_node(p_node text) RETURNS void
LANGUAGE plpgsql SET search_path = warptune, pg_temp AS $$
BEGIN
  UPDATE node SET accepted = true WHERE id = p_node;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'there is no node %', quote_literal(p_node) USING ERRCODE = 'WT001';
  END IF;
END $$;

-- After a restore in another server, batches may have transactions that this server has not begun yet.
CREATE FUNCTION warptune.adopt_restored_batches() RETURNS void
LANGUAGE sql SET search_path = warptune, pg_temp
AS $$ UPDATE batch SET written = pg_current_xact_id() WHERE written >= pg_snapshot_xmax(pg_current_snapshot()) $$;

-- Nodes
----------------------------------------------------------------------------------------------------
CREATE FUNCTION warptune.enter_node(p_node text, p_content json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
BEGIN
  PERFORM require_node(p_node);
  INSERT INTO node (id, login, content) VALUES (p_node, session_user, p_content)
    ON CONFLICT (id) DO UPDATE SET content = excluded.content, seen = clock_timestamp(), entered = clock_timestamp(), has_left = false;
  DELETE FROM refusal WHERE node = p_node;
END $$;

CREATE FUNCTION warptune.leave_node(p_node text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
BEGIN
  PERFORM require_node(p_node);
  UPDATE node SET has_left = true WHERE id = p_node;
END $$;

CREATE FUNCTION warptune.set_refusals(p_node text, p_refusals json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
BEGIN
  PERFORM require_node(p_node);
  IF NOT EXISTS (SELECT FROM node WHERE id = p_node) THEN
    RAISE EXCEPTION 'there is no node %', quote_literal(p_node) USING ERRCODE = 'WT001';
  END IF;
  DELETE FROM refusal WHERE node = p_node;
  INSERT INTO refusal (node, class, reason, tasks)
    SELECT p_node, class.id, given.reason, given.tasks
    FROM json_to_recordset(p_refusals) AS given (campaign text, class bigint, reason text, tasks bigint[])
    JOIN class ON class.campaign = campaign_id(given.campaign) AND class.index = given.class
    ON CONFLICT (node, class) DO NOTHING;
END $$;

-- Leases
----------------------------------------------------------------------------------------------------
-- Ends the running attempt of a task without closing the task.
CREATE FUNCTION warptune.end_attempt(p_campaign bigint, p_task bigint, p_fence bigint, p_as text, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = warptune, pg_temp AS $$
DECLARE
  losses bigint;
  nodes bigint;
BEGIN
  UPDATE attempt SET ended_as = p_as, reason = p_reason, ended = clock_timestamp()
    WHERE campaign = p_campaign AND task = p_task AND fence = p_fence;
  SELECT count(*), count(DISTINCT a.node) INTO losses, nodes
    FROM attempt a JOIN task t ON t.campaign = a.campaign AND t.index = a.task
    WHERE a.campaign = p_campaign AND a.task = p_task AND a.ended_as = 'lost' AND a.fence > t.retried_fence;
  UPDATE task
    SET state = CASE WHEN losses >= @quarantine_losses@ AND nodes >= @quarantine_nodes@ THEN 'quarantined' ELSE 'open' END
    WHERE campaign = p_campaign AND index = p_task;
END $$;

-- All calls about leases begin with this. It costs the reading of one row unless a lease may have ended.
CREATE FUNCTION warptune.end_expired_leases() RETURNS void
LANGUAGE plpgsql SET search_path = warptune, pg_temp AS $$
DECLARE
  started timestamptz;
  expired record;
BEGIN
  IF NOT EXISTS (SELECT FROM expiry WHERE due <= clock_timestamp() OR server_started <> pg_postmaster_start_time()) THEN
    RETURN;
  END IF;
  SELECT server_started INTO started FROM expiry FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;  -- Another call does it now.
  END IF;
  IF started <> pg_postmaster_start_time() THEN
    UPDATE lease SET ends = greatest(ends, clock_timestamp() + interval '@lease_ms@ ms');
  END IF;
  FOR expired IN SELECT * FROM lease WHERE ends <= clock_timestamp() FOR UPDATE SKIP LOCKED LOOP
    DELETE FROM lease WHERE campaign = expired.campaign AND task = expired.task;
    PERFORM end_attempt(expired.campaign, expired.task, expired.fence, 'lost', 'no heartbeat came in time');
  END LOOP;
  -- Leases of transactions that are running now end after half the time of a lease at the earliest: statements are shorter.
  UPDATE expiry SET server_started = pg_postmaster_start_time(),
    due = least((SELECT min(ends) FROM lease), clock_timestamp() + interval '@lease_ms@ ms' / 2);
END $$;

-- p_classes is a list of {"campaign": name, "class": index}, and p_refused one of {"campaign": name, "task": index}. A call is repeated
-- with the same p_request. It then returns the same lease.
-- The rows of a priority are not ordered: with ORDER BY all clients would wait for the same row.
CREATE FUNCTION warptune.lease(p_node text, p_request text, p_classes json, p_refused json)
RETURNS TABLE (campaign text, task bigint, fence bigint, class bigint, content json, sizes json)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
#variable_conflict use_column
DECLARE
  level record;
  got record;
  refused text[];  -- Null: none.
BEGIN
  PERFORM require_node(p_node);
  PERFORM end_expired_leases();
  SELECT l.campaign, l.task INTO got FROM lease l WHERE l.node = p_node AND l.request = p_request;
  IF NOT FOUND THEN
    SELECT array_agg(c.id || '.' || given.task) INTO refused
      FROM json_to_recordset(p_refused) AS given (campaign text, task bigint) JOIN campaign c ON c.name = given.campaign;
    FOR level IN
      SELECT k.priority, array_agg(DISTINCT k.id) AS classes
      FROM json_to_recordset(p_classes) AS given (campaign text, class bigint)
      JOIN campaign c ON c.name = given.campaign AND NOT c.cancelled AND may_use(c.role_name)
      JOIN class k ON k.campaign = c.id AND k.index = given.class
      GROUP BY k.priority ORDER BY k.priority DESC
    LOOP
      SELECT t.campaign, t.index AS task, t.fence + 1 AS fence INTO got
        FROM task t WHERE t.class = ANY (level.classes) AND t.state = 'open'
          AND (refused IS NULL OR t.campaign || '.' || t.index <> ALL (refused)) LIMIT 1 FOR UPDATE SKIP LOCKED;
      EXIT WHEN FOUND;
    END LOOP;
    IF got IS NULL THEN
      RETURN;
    END IF;
    UPDATE task t SET state = 'leased', fence = got.fence WHERE t.campaign = got.campaign AND t.index = got.task;
    INSERT INTO attempt (campaign, task, fence, node) VALUES (got.campaign, got.task, got.fence, p_node);
    INSERT INTO lease VALUES (got.campaign, got.task, got.fence, p_node, p_request, clock_timestamp() + interval '@lease_ms@ ms');
  END IF;
  RETURN QUERY
    SELECT c.name, t.index, t.fence, k.index, k.content, t.sizes
    FROM task t JOIN class k ON k.id = t.class JOIN campaign c ON c.id = t.campaign
    WHERE t.campaign = got.campaign AND t.index = got.task;
END $$;

-- p_leases is a list of {"campaign": name, "task": index, "fence": fence}. Returns `held`, `lost` or `cancelled` for each, in order.
CREATE FUNCTION warptune.heartbeat(p_node text, p_leases json) RETURNS TABLE (state text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
BEGIN
  PERFORM require_node(p_node);
  PERFORM end_expired_leases();
  UPDATE node SET seen = clock_timestamp() WHERE id = p_node;
  RETURN QUERY
    WITH given AS MATERIALIZED (
      SELECT campaign_id(campaign) AS campaign, task, fence, number
      FROM ROWS FROM (json_to_recordset(p_leases) AS (campaign text, task bigint, fence bigint)) WITH ORDINALITY
        AS lease (campaign, task, fence, number)),
    renewed AS (
      UPDATE lease l SET ends = clock_timestamp() + interval '@lease_ms@ ms' FROM given g
      WHERE l.campaign = g.campaign AND l.task = g.task AND l.fence = g.fence AND l.node = p_node RETURNING g.number)
    SELECT CASE WHEN r.number IS NOT NULL THEN 'held' WHEN c.cancelled THEN 'cancelled' ELSE 'lost' END
    FROM given g JOIN campaign c ON c.id = g.campaign LEFT JOIN renewed r ON r.number = g.number ORDER BY g.number;
END $$;

CREATE FUNCTION warptune.finish(p_node text, p_campaign text, p_task bigint, p_fence bigint, p_failed boolean, p_outcome json)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
DECLARE
  this bigint := campaign_id(p_campaign);
  end_name text := CASE WHEN p_failed THEN 'failed' ELSE 'done' END;
BEGIN
  PERFORM require_node(p_node);
  PERFORM end_expired_leases();
  DELETE FROM lease WHERE campaign = this AND task = p_task AND fence = p_fence AND node = p_node;
  IF FOUND THEN
    UPDATE attempt SET ended_as = end_name, ended = clock_timestamp(), outcome = p_outcome
      WHERE campaign = this AND task = p_task AND fence = p_fence;
    UPDATE task SET state = end_name WHERE campaign = this AND index = p_task;
    RETURN true;
  END IF;
  UPDATE attempt SET ended_as = 'superseded', outcome = p_outcome
    WHERE campaign = this AND task = p_task AND fence = p_fence AND node = p_node
      AND ended_as NOT IN ('done', 'failed', 'superseded');
  RETURN EXISTS (SELECT FROM attempt WHERE campaign = this AND task = p_task AND fence = p_fence AND node = p_node
                 AND ended_as IN ('done', 'failed'));
END $$;

CREATE FUNCTION warptune.give_back(p_node text, p_campaign text, p_task bigint, p_fence bigint, p_as text, p_reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
DECLARE
  this bigint := campaign_id(p_campaign);
BEGIN
  PERFORM require_node(p_node);
  PERFORM end_expired_leases();
  IF p_as NOT IN ('lost', 'given back', 'cancelled') THEN
    RAISE EXCEPTION 'a lease cannot be given back as %', quote_literal(p_as) USING ERRCODE = 'WT001';
  END IF;
  DELETE FROM lease WHERE campaign = this AND task = p_task AND fence = p_fence AND node = p_node;
  IF FOUND THEN
    PERFORM end_attempt(this, p_task, p_fence, p_as, p_reason);
  END IF;
END $$;

-- Rows
----------------------------------------------------------------------------------------------------
CREATE FUNCTION warptune.publish(p_campaign text, p_task bigint, p_fence bigint, p_node text, p_sequence bigint, p_bytes bytea)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
DECLARE
  this bigint := campaign_id(p_campaign);
BEGIN
  PERFORM require_node(p_node);
  IF NOT EXISTS (SELECT FROM attempt WHERE campaign = this AND task = p_task AND fence = p_fence AND node = p_node) THEN
    RAISE EXCEPTION 'the node % never had the lease % of task %', p_node, p_fence, p_task USING ERRCODE = 'WT001';
  END IF;
  INSERT INTO batch (campaign, task, fence, node, sequence, bytes) VALUES (this, p_task, p_fence, p_node, p_sequence, p_bytes)
    ON CONFLICT DO NOTHING;
END $$;

-- Reading, with the rights of the caller. Nodes call open_classes often: policies of rows would slow it down.
----------------------------------------------------------------------------------------------------
CREATE FUNCTION warptune.ms(p_time timestamptz) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
RETURN coalesce(floor(extract(epoch FROM p_time) * 1000), 0)::bigint;

CREATE FUNCTION warptune.campaigns()
RETURNS TABLE (name text, digest text, added_ms bigint, cancelled boolean, tasks json)
LANGUAGE sql STABLE SET search_path = warptune, pg_temp AS $$
  SELECT c.name, c.digest, ms(c.added), c.cancelled, coalesce(json_object_agg(s.state, s.tasks) FILTER (WHERE s.state IS NOT NULL), '{}')
  FROM campaign c LEFT JOIN (SELECT campaign, state, count(*) AS tasks FROM task GROUP BY campaign, state) s ON s.campaign = c.id
  GROUP BY c.id ORDER BY c.added, c.id $$;

CREATE FUNCTION warptune.campaign_content(p_campaign text) RETURNS TABLE (classes json, tasks json)
LANGUAGE sql STABLE SET search_path = warptune, pg_temp AS $$
  SELECT (SELECT coalesce(json_agg(k.content ORDER BY k.index), '[]') FROM class k WHERE k.campaign = this.id),
    (SELECT coalesce(json_agg(json_build_object('class', k.index, 'sizes', t.sizes) ORDER BY t.index), '[]')
     FROM task t JOIN class k ON k.id = t.class WHERE t.campaign = this.id)
  FROM (SELECT campaign_id(p_campaign) AS id) this $$;

CREATE FUNCTION warptune.tasks(p_campaign text) RETURNS TABLE (index bigint, state text, attempts json)
LANGUAGE sql STABLE SET search_path = warptune, pg_temp AS $$
  SELECT t.index, t.state, coalesce(a.attempts, '[]')
  FROM (SELECT campaign_id(p_campaign) AS id) this JOIN task t ON t.campaign = this.id
  LEFT JOIN (
    SELECT campaign, task, json_agg(json_build_object('fence', fence, 'node', node, 'end', ended_as, 'reason', reason,
      'started_ms', ms(started), 'ended_ms', ms(ended), 'outcome', outcome) ORDER BY fence) AS attempts
    FROM attempt GROUP BY campaign, task) a ON a.campaign = t.campaign AND a.task = t.index
  ORDER BY t.index $$;

CREATE FUNCTION warptune.nodes()
RETURNS TABLE (content json, entered_ms bigint, seen_ms bigint, accepted boolean, refusals json, has_left boolean)
LANGUAGE sql STABLE SET search_path = warptune, pg_temp AS $$
  SELECT n.content, ms(n.entered), ms(n.seen), n.accepted, coalesce(r.refusals, '[]'), n.has_left
  FROM node n LEFT JOIN (
    SELECT r.node, json_agg(json_build_object('campaign', c.name, 'class', k.index, 'reason', r.reason, 'tasks', r.tasks)
                            ORDER BY c.id, k.index) AS refusals
    FROM refusal r JOIN class k ON k.id = r.class JOIN campaign c ON c.id = k.campaign GROUP BY r.node) r ON r.node = n.id
  ORDER BY n.entered, n.id $$;

CREATE FUNCTION warptune.counted_classes() RETURNS TABLE (class bigint, open bigint, leased bigint)
LANGUAGE sql STABLE SET search_path = warptune, pg_temp AS $$
  SELECT class, count(*) FILTER (WHERE state = 'open'), count(*) FILTER (WHERE state = 'leased')
  FROM task WHERE state = 'open' OR state = 'leased' GROUP BY class $$;

CREATE FUNCTION warptune.open_classes()
RETURNS TABLE (campaign text, index bigint, content json, open bigint, leased bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
  SELECT c.name, k.index, k.content, counted.open, counted.leased
  FROM counted_classes() counted JOIN class k ON k.id = counted.class JOIN campaign c ON c.id = k.campaign
  WHERE may_use(c.role_name) ORDER BY c.id, k.index $$;

-- The same for nodes, which ask often. If more than 5,000 tasks are open or leased, they are counted once a second.
CREATE FUNCTION warptune.open_classes_of_late()
RETURNS TABLE (campaign text, index bigint, content json, open bigint, leased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
#variable_conflict use_column
DECLARE
  many CONSTANT bigint := 5000;
  last counting;
BEGIN
  SELECT * INTO last FROM counting;
  IF last.tasks <= many OR last.counted < clock_timestamp() - interval '1 s' THEN
    IF last.tasks <= many AND (SELECT count(*) FROM (SELECT FROM task WHERE state = 'open' OR state = 'leased' LIMIT many + 1) t) <= many THEN
      RETURN QUERY SELECT * FROM open_classes();
      RETURN;
    END IF;
    PERFORM FROM counting FOR UPDATE SKIP LOCKED;
    IF FOUND THEN
      DELETE FROM class_count;
      INSERT INTO class_count SELECT * FROM counted_classes();
      UPDATE counting SET counted = clock_timestamp(), tasks = (SELECT coalesce(sum(open + leased), 0) FROM class_count);
    END IF;
  END IF;
  RETURN QUERY
    SELECT c.name, k.index, k.content, counted.open, counted.leased
    FROM class_count counted JOIN class k ON k.id = counted.class JOIN campaign c ON c.id = k.campaign
    WHERE may_use(c.role_name) AND NOT c.cancelled ORDER BY c.id, k.index;
END $$;

-- Identifies the history of transaction numbers: a restore or a promoted standby begins another one.
CREATE FUNCTION warptune.history() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN (SELECT system_identifier FROM pg_control_system()) || '.' || (SELECT timeline_id FROM pg_control_checkpoint());

-- The oldest transaction whose batches come after a cursor.
CREATE FUNCTION warptune.first_after(p_cursor text) RETURNS xid8
LANGUAGE plpgsql STABLE SET search_path = warptune, pg_temp AS $$
BEGIN
  IF p_cursor <> '' AND p_cursor !~ '^\d{1,20}\.\d{1,10}:\d{1,18}$' THEN
    RAISE EXCEPTION '% is no cursor of this store', quote_literal(p_cursor) USING ERRCODE = 'WT001';
  END IF;
  RETURN CASE WHEN split_part(p_cursor, ':', 1) = history() THEN split_part(p_cursor, ':', 2)::xid8 ELSE '0'::xid8 END;
END $$;

-- Rows of NULL are no batches: the first row is always there, because all rows have the next cursor. Everything that was written by
-- a transaction older than all running ones is visible now, so nothing is left out by a reader who continues there.
CREATE FUNCTION warptune.batches(p_campaign text, p_task bigint, p_cursor text)
RETURNS TABLE (next text, campaign text, task bigint, fence bigint, node text, sequence bigint)
LANGUAGE plpgsql STABLE SET search_path = warptune, pg_temp AS $$
#variable_conflict use_column
DECLARE
  only_campaign bigint := CASE WHEN p_campaign IS NOT NULL THEN campaign_id(p_campaign) END;
  since xid8 := first_after(p_cursor);
BEGIN
  RETURN QUERY
    SELECT history() || ':' || pg_snapshot_xmin(pg_current_snapshot()), b.name, b.task, b.fence, b.node, b.sequence
    FROM (SELECT) AS always
    LEFT JOIN (SELECT c.name, b.* FROM batch b JOIN campaign c ON c.id = b.campaign
               WHERE b.written >= since AND (only_campaign IS NULL OR b.campaign = only_campaign)
                 AND (p_task IS NULL OR b.task = p_task)) b ON true;
END $$;

CREATE FUNCTION warptune.batch(p_campaign text, p_task bigint, p_fence bigint, p_node text, p_sequence bigint) RETURNS TABLE (bytes bytea)
LANGUAGE sql STABLE SET search_path = warptune, pg_temp AS $$
  SELECT bytes FROM batch WHERE campaign = campaign_id(p_campaign) AND task = p_task AND fence = p_fence AND node = p_node
    AND sequence = p_sequence $$;

CREATE FUNCTION warptune.file(p_digest text) RETURNS TABLE (bytes bytea)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = warptune, pg_temp AS $$
  SELECT bytes FROM file WHERE digest = p_digest
    AND (NOT EXISTS (SELECT FROM class WHERE bundle = p_digest AND bundle <> '')
         OR EXISTS (SELECT FROM class k JOIN campaign c ON c.id = k.campaign
                    WHERE k.bundle = p_digest AND k.bundle <> '' AND may_use(c.role_name))) $$;

-- Rights
----------------------------------------------------------------------------------------------------
REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA warptune FROM PUBLIC;
GRANT EXECUTE ON FUNCTION warptune.may_use, warptune.campaign_id, warptune.ms, warptune.campaigns, warptune.campaign_content, warptune.tasks,
  warptune.nodes, warptune.open_classes, warptune.history, warptune.first_after, warptune.batches, warptune.batch, warptune.file TO warptune_reader;
GRANT EXECUTE ON FUNCTION warptune.enter_node, warptune.leave_node, warptune.set_refusals, warptune.lease, warptune.heartbeat, warptune.finish,
  warptune.give_back, warptune.publish, warptune.open_classes_of_late TO warptune_node;
