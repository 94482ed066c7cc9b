-- Version 2 of the schema of campaigns: nodes say that they end, refuse single tasks, and number their GPUs. Outcomes say how many
-- evaluations an attempt took over.
ALTER TABLE warptune.node ADD has_left boolean NOT NULL DEFAULT false;
ALTER TABLE warptune.refusal ADD tasks bigint[] NOT NULL DEFAULT '{}';  -- Indices. None: all tasks of the class.
-- What jsonb cannot hold is no content of warptune, and stays as it is.
UPDATE warptune.node n SET content = jsonb_set(n.content::jsonb, '{gpus}', coalesce(
    (SELECT jsonb_agg(given.gpu || jsonb_build_object('ordinal', given.place - 1) ORDER BY given.place)
     FROM jsonb_array_elements(n.content::jsonb->'gpus') WITH ORDINALITY AS given (gpu, place)), '[]'))::json
  WHERE json_typeof(n.content->'gpus') = 'array' AND strpos(n.content::text, '\u0000') = 0;
UPDATE warptune.attempt SET outcome = (outcome::jsonb || '{"continued": 0}')::json
  WHERE json_typeof(outcome) = 'object' AND strpos(outcome::text, '\u0000') = 0;
