-- The rows of a store of version 1, as pg_dump wrote them (--data-only --inserts). The tables are those of fleet/postgresql/schema_1.sql,
-- which never changes.
INSERT INTO warptune.campaign OVERRIDING SYSTEM VALUE VALUES (1, 'kept', '11111111111111111111111111111111', '2026-11-27 00:18:15.376069+00', false, NULL);
INSERT INTO warptune.class OVERRIDING SYSTEM VALUE VALUES (1, 1, 0, 0, '', '{"kernel":"sgemm","kernel_hash":"00000000000000000000000000000000","bundle":"","gpu":{"name":"*H100*","min_capability":null,"max_capability":null,"min_memory_bytes":null},"priority":0,"options":{"budget":"60s","until":"","strategy":"auto","objective":"time","cache":"cold","metrics":"core","seed":1,"thorough":false,"transfer":false}}');
INSERT INTO warptune.node VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'postgres', '{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"anna","version":"1.0.0","gpus":[]}', '2026-11-27 00:18:15.388001+00', '2026-11-27 00:18:15.388001+00', false);
INSERT INTO warptune.attempt VALUES (1, 0, 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'done', '', '2026-11-27 00:18:15.820731+00', '2026-11-27 00:18:15.876009+00', '{"failed":false,"reason":"","evaluated":7,"failures":{},"gpu_seconds":1.5,"best_ns":null,"gpu":"NVIDIA H100"}');
INSERT INTO warptune.batch VALUES (1, 0, 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0, '803', '\x726f7773');
INSERT INTO warptune.file VALUES ('d6f2f3e2b0d6d9ac2c5ec5e4d0e0a1aa', '\x62756e646c65');
INSERT INTO warptune.refusal VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1, 'no GPU fits');
INSERT INTO warptune.store VALUES (1);
INSERT INTO warptune.task VALUES (1, 1, 1, '[["M",128]]', 'open', 0, 0);
INSERT INTO warptune.task VALUES (1, 0, 1, '[["M",64]]', 'done', 1, 0);
