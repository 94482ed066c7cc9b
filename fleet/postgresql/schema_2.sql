-- Version 2 of the schema of campaigns: nodes say that they end, and refuse single tasks.
ALTER TABLE warptune.node ADD has_left boolean NOT NULL DEFAULT false;
ALTER TABLE warptune.refusal ADD tasks bigint[] NOT NULL DEFAULT '{}';  -- Indices. None: all tasks of the class.
