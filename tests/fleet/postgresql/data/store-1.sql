-- The rows of a store of version 1, as pg_dump wrote them (--data-only --inserts). The tables are those of fleet/postgresql/schema_1.sql,
-- which never changes.
INSERT INTO warptune.campaign OVERRIDING SYSTEM VALUE VALUES (1, 'kept', '11111111111111111111111111111111', '2026-11-27 00:18:15.376069+00', false, NULL);
INSERT INTO warptune.class OVERRIDING SYSTEM VALUE VALUES (1, 1, 0, 0, '', '{"kernel":"sgemm","kernel_hash":"00000000000000000000000000000000","bundle":"","gpu":{"name":"*H100*","min_capability":null,"max_capability":null,"min_memory_bytes":null},"priority":0,"options":{"budget":"60s","until":"","strategy":"auto","objective":"time","cache":"cold","metrics":"core","seed":1,"thorough":false,"transfer":false}}');
INSERT INTO warptune.node VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'postgres', '{"id":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","name":"anna","version":"1.0.0","gpus":[{"gpu":{"chip":"GH100","compute_major":9,"compute_minor":0,"ecc":true,"l2_bytes":62914560,"max_blocks_per_sm":32,"max_clock_khz":1980000,"max_threads_per_block":1024,"max_threads_per_sm":2048,"memory_bandwidth_bytes_per_s":4814304000000,"memory_bytes":150109880320,"mig":false,"name":"NVIDIA H200","registers_per_sm":65536,"shared_bytes_per_block":49152,"shared_bytes_per_block_optin":232448,"shared_bytes_per_sm":233472,"sm_count":132,"warp_size":32},"roofs":[{"driver_version":null,"name":"copy","relative_spread":0.0,"sm_clock_mhz":null,"time_stamp_ms":0,"value":4282360198949.197}]}]}', '2026-11-27 00:18:15.388001+00', '2026-11-27 00:18:15.388001+00', false);
INSERT INTO warptune.attempt VALUES (1, 0, 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'done', '', '2026-11-27 00:18:15.820731+00', '2026-11-27 00:18:15.876009+00', '{"failed":false,"reason":"","evaluated":7,"failures":{},"gpu_seconds":1.5,"best_ns":null,"gpu":"NVIDIA H100"}');
INSERT INTO warptune.batch VALUES (1, 0, 1, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 0, '803', '\x726f7773');
INSERT INTO warptune.file VALUES ('d6f2f3e2b0d6d9ac2c5ec5e4d0e0a1aa', '\x62756e646c65');
INSERT INTO warptune.refusal VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1, 'no GPU fits');
INSERT INTO warptune.store VALUES (1);
INSERT INTO warptune.task VALUES (1, 1, 1, '[["M",128]]', 'open', 0, 0);
INSERT INTO warptune.task VALUES (1, 0, 1, '[["M",64]]', 'done', 1, 0);
