-- A database as warptune of schema version 9 wrote it, by 'bench_fill_database --kernel vector_add --rows 24 --session-rows 12 --seed 3'.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE gpu(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL, compute_major INTEGER NOT NULL,
  compute_minor INTEGER NOT NULL, sm_count INTEGER NOT NULL, l2_bytes INTEGER NOT NULL,
  memory_bytes INTEGER NOT NULL, memory_bandwidth_bytes_per_s INTEGER NOT NULL, max_clock_khz INTEGER NOT NULL,
  ecc INTEGER NOT NULL, mig INTEGER NOT NULL, description TEXT NOT NULL UNIQUE) STRICT;
INSERT INTO gpu VALUES(1,'5fd1cd2c4dc7369dd3cad860b37acea4','NVIDIA H200 (rows made up)',9,0,132,62914560,141000000000,4800000000000,1980000,1,0,'{"name":"NVIDIA H200 (rows made up)","compute_major":9,"compute_minor":0,"sm_count":132,"l2_bytes":62914560,"memory_bytes":141000000000,"memory_bandwidth_bytes_per_s":4800000000000,"max_clock_khz":1980000,"ecc":true,"mig":false,"max_threads_per_block":1024,"max_threads_per_sm":2048,"max_blocks_per_sm":32,"registers_per_sm":65536,"shared_bytes_per_block":49152,"shared_bytes_per_block_optin":232448,"shared_bytes_per_sm":233472,"warp_size":32,"chip":"GH100"}');
CREATE TABLE kernel(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE(hash, name)) STRICT;
INSERT INTO kernel VALUES(1,'vector_add','7e8802866244b5eaef234796a61db413');
CREATE TABLE session(
  id INTEGER PRIMARY KEY, workload_id INTEGER NOT NULL REFERENCES "workload", gpu_id INTEGER NOT NULL REFERENCES gpu,
  warptune_version TEXT NOT NULL, driver_version INTEGER NOT NULL, nvrtc_version INTEGER NOT NULL,
  sm_clock_mhz INTEGER NOT NULL, memory_clock_mhz INTEGER NOT NULL, throttle_reasons TEXT NOT NULL,
  roof_copy_bytes_per_s REAL, roof_fp32_theory_flops_per_s REAL, work_flops REAL, work_bytes REAL,
  strategy TEXT NOT NULL, seed INTEGER NOT NULL, budget TEXT NOT NULL, objective TEXT NOT NULL,
  replayed INTEGER NOT NULL, started_ms INTEGER NOT NULL, finished_ms INTEGER NOT NULL,
  space_size INTEGER NOT NULL, default_configuration TEXT NOT NULL, default_key TEXT NOT NULL, search_state TEXT, roof_read_bytes_per_s REAL, roof_fp32_measured_flops_per_s REAL, roof_fp64_flops_per_s REAL, roof_tensor_flops_per_s REAL, work_unit TEXT NOT NULL DEFAULT 'fp32', work_written_share REAL NOT NULL DEFAULT 0, checksum INTEGER) STRICT;
INSERT INTO session VALUES(1,1,1,'',0,0,0,0,'',0.0,0.0,67108864.0,805306368.0,'random',1,'12','time',0,1700000000000,1700000000012,8146,'{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":1,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"plain","STORE":"plain","CLAMP_FORM":"ternary"}','{"BLOCK":256,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"registers","STAGES":1,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":1}',NULL,0.0,0.0,0.0,0.0,'fp32',0.33333333333333331482,7681950892865039315);
INSERT INTO session VALUES(2,1,1,'',0,0,0,0,'',0.0,0.0,67108864.0,805306368.0,'random',2,'12','time',0,1700000000012,1700000000024,8146,'{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":1,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"plain","STORE":"plain","CLAMP_FORM":"ternary"}','{"BLOCK":256,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"registers","STAGES":1,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":1}',NULL,0.0,0.0,0.0,0.0,'fp32',0.33333333333333331482,-2254647533570012175);
CREATE TABLE configuration(
  id INTEGER PRIMARY KEY, workload_id INTEGER NOT NULL REFERENCES "workload", key TEXT NOT NULL,
  body TEXT NOT NULL, latest_id INTEGER, latest_ns REAL, latest_preferred INTEGER, latest_replayed INTEGER NOT NULL DEFAULT 0, UNIQUE(workload_id, key)) STRICT;
INSERT INTO configuration VALUES(1,1,'{"BLOCK":256,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"registers","STAGES":1,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":1}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":1,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"plain","STORE":"plain","CLAMP_FORM":"ternary"}',1,1698398.5074912081472,NULL,0);
INSERT INTO configuration VALUES(2,1,'{"BLOCK":128,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"l2_256","LOAD_PATH":"registers","STAGES":1,"STORE":"write_through","VECTOR":1,"VECTORS_PER_THREAD":16}','{"LOAD_PATH":"registers","BLOCK":128,"VECTORS_PER_THREAD":16,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"l2_256","STORE":"write_through","CLAMP_FORM":"ternary"}',2,NULL,NULL,0);
INSERT INTO configuration VALUES(3,1,'{"BLOCK":128,"BLOCKS_PER_SM":2,"CLAMP_FORM":"ternary","LOAD":"streaming","LOAD_PATH":"registers","STAGES":1,"STORE":"streaming","VECTOR":4,"VECTORS_PER_THREAD":4}','{"LOAD_PATH":"registers","BLOCK":128,"VECTORS_PER_THREAD":4,"VECTOR":4,"BLOCKS_PER_SM":2,"STAGES":1,"LOAD":"streaming","STORE":"streaming","CLAMP_FORM":"ternary"}',3,NULL,NULL,0);
INSERT INTO configuration VALUES(4,1,'{"BLOCK":1024,"BLOCKS_PER_SM":2,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async","STAGES":4,"STORE":"streaming","VECTOR":1,"VECTORS_PER_THREAD":1}','{"LOAD_PATH":"cp_async","BLOCK":1024,"VECTORS_PER_THREAD":1,"VECTOR":1,"BLOCKS_PER_SM":2,"STAGES":4,"LOAD":"plain","STORE":"streaming","CLAMP_FORM":"ternary"}',4,NULL,NULL,0);
INSERT INTO configuration VALUES(5,1,'{"BLOCK":128,"BLOCKS_PER_SM":16,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":3,"STORE":"plain","VECTOR":2,"VECTORS_PER_THREAD":2}','{"LOAD_PATH":"cp_async_bulk","BLOCK":128,"VECTORS_PER_THREAD":2,"VECTOR":2,"BLOCKS_PER_SM":16,"STAGES":3,"LOAD":"plain","STORE":"plain","CLAMP_FORM":"ternary"}',5,1765696.6284351288341,NULL,0);
INSERT INTO configuration VALUES(6,1,'{"BLOCK":1024,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":1,"STORE":"cp_async_bulk","VECTOR":1,"VECTORS_PER_THREAD":8}','{"LOAD_PATH":"cp_async_bulk","BLOCK":1024,"VECTORS_PER_THREAD":8,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"plain","STORE":"cp_async_bulk","CLAMP_FORM":"ternary"}',6,NULL,NULL,0);
INSERT INTO configuration VALUES(7,1,'{"BLOCK":64,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"registers","STAGES":1,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":16}','{"LOAD_PATH":"registers","BLOCK":64,"VECTORS_PER_THREAD":16,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"plain","STORE":"plain","CLAMP_FORM":"ternary"}',7,1478759.5832805247046,NULL,0);
INSERT INTO configuration VALUES(8,1,'{"BLOCK":128,"BLOCKS_PER_SM":0,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":1,"STORE":"streaming","VECTOR":1,"VECTORS_PER_THREAD":16}','{"LOAD_PATH":"cp_async_bulk","BLOCK":128,"VECTORS_PER_THREAD":16,"VECTOR":1,"BLOCKS_PER_SM":0,"STAGES":1,"LOAD":"plain","STORE":"streaming","CLAMP_FORM":"ternary"}',8,NULL,NULL,0);
INSERT INTO configuration VALUES(9,1,'{"BLOCK":256,"BLOCKS_PER_SM":4,"CLAMP_FORM":"ternary","LOAD":"read_only","LOAD_PATH":"registers","STAGES":1,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":16}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":16,"VECTOR":1,"BLOCKS_PER_SM":4,"STAGES":1,"LOAD":"read_only","STORE":"plain","CLAMP_FORM":"ternary"}',9,NULL,NULL,0);
INSERT INTO configuration VALUES(10,1,'{"BLOCK":256,"BLOCKS_PER_SM":4,"CLAMP_FORM":"ternary","LOAD":"no_allocate","LOAD_PATH":"registers","STAGES":1,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":4}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":4,"VECTOR":1,"BLOCKS_PER_SM":4,"STAGES":1,"LOAD":"no_allocate","STORE":"plain","CLAMP_FORM":"ternary"}',10,NULL,NULL,0);
INSERT INTO configuration VALUES(11,1,'{"BLOCK":64,"BLOCKS_PER_SM":1,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async","STAGES":8,"STORE":"plain","VECTOR":1,"VECTORS_PER_THREAD":8}','{"LOAD_PATH":"cp_async","BLOCK":64,"VECTORS_PER_THREAD":8,"VECTOR":1,"BLOCKS_PER_SM":1,"STAGES":8,"LOAD":"plain","STORE":"plain","CLAMP_FORM":"ternary"}',11,NULL,NULL,0);
INSERT INTO configuration VALUES(12,1,'{"BLOCK":128,"BLOCKS_PER_SM":1,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":2,"STORE":"streaming","VECTOR":2,"VECTORS_PER_THREAD":16}','{"LOAD_PATH":"cp_async_bulk","BLOCK":128,"VECTORS_PER_THREAD":16,"VECTOR":2,"BLOCKS_PER_SM":1,"STAGES":2,"LOAD":"plain","STORE":"streaming","CLAMP_FORM":"ternary"}',12,NULL,NULL,0);
INSERT INTO configuration VALUES(13,1,'{"BLOCK":128,"BLOCKS_PER_SM":1,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":3,"STORE":"streaming","VECTOR":4,"VECTORS_PER_THREAD":8}','{"LOAD_PATH":"cp_async_bulk","BLOCK":128,"VECTORS_PER_THREAD":8,"VECTOR":4,"BLOCKS_PER_SM":1,"STAGES":3,"LOAD":"plain","STORE":"streaming","CLAMP_FORM":"ternary"}',13,NULL,NULL,0);
INSERT INTO configuration VALUES(14,1,'{"BLOCK":512,"BLOCKS_PER_SM":2,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":2,"STORE":"write_through","VECTOR":2,"VECTORS_PER_THREAD":3}','{"LOAD_PATH":"cp_async_bulk","BLOCK":512,"VECTORS_PER_THREAD":3,"VECTOR":2,"BLOCKS_PER_SM":2,"STAGES":2,"LOAD":"plain","STORE":"write_through","CLAMP_FORM":"ternary"}',14,NULL,NULL,0);
INSERT INTO configuration VALUES(15,1,'{"BLOCK":512,"BLOCKS_PER_SM":4,"CLAMP_FORM":"ternary","LOAD":"streaming","LOAD_PATH":"registers","STAGES":1,"STORE":"streaming","VECTOR":2,"VECTORS_PER_THREAD":1}','{"LOAD_PATH":"registers","BLOCK":512,"VECTORS_PER_THREAD":1,"VECTOR":2,"BLOCKS_PER_SM":4,"STAGES":1,"LOAD":"streaming","STORE":"streaming","CLAMP_FORM":"ternary"}',15,1933971.1116339694708,NULL,0);
INSERT INTO configuration VALUES(16,1,'{"BLOCK":256,"BLOCKS_PER_SM":4,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async","STAGES":8,"STORE":"streaming","VECTOR":2,"VECTORS_PER_THREAD":1}','{"LOAD_PATH":"cp_async","BLOCK":256,"VECTORS_PER_THREAD":1,"VECTOR":2,"BLOCKS_PER_SM":4,"STAGES":8,"LOAD":"plain","STORE":"streaming","CLAMP_FORM":"ternary"}',16,1208530.2210976157803,NULL,0);
INSERT INTO configuration VALUES(17,1,'{"BLOCK":128,"BLOCKS_PER_SM":16,"CLAMP_FORM":"ternary","LOAD":"l2_256","LOAD_PATH":"registers","STAGES":1,"STORE":"streaming","VECTOR":2,"VECTORS_PER_THREAD":1}','{"LOAD_PATH":"registers","BLOCK":128,"VECTORS_PER_THREAD":1,"VECTOR":2,"BLOCKS_PER_SM":16,"STAGES":1,"LOAD":"l2_256","STORE":"streaming","CLAMP_FORM":"ternary"}',17,1534208.4799192505888,NULL,0);
INSERT INTO configuration VALUES(18,1,'{"BLOCK":256,"BLOCKS_PER_SM":1,"CLAMP_FORM":"ternary","LOAD":"streaming","LOAD_PATH":"registers","STAGES":1,"STORE":"streaming","VECTOR":2,"VECTORS_PER_THREAD":8}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":8,"VECTOR":2,"BLOCKS_PER_SM":1,"STAGES":1,"LOAD":"streaming","STORE":"streaming","CLAMP_FORM":"ternary"}',18,NULL,NULL,0);
INSERT INTO configuration VALUES(19,1,'{"BLOCK":256,"BLOCKS_PER_SM":4,"CLAMP_FORM":"ternary","LOAD":"l2_128","LOAD_PATH":"registers","STAGES":1,"STORE":"write_through","VECTOR":1,"VECTORS_PER_THREAD":4}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":4,"VECTOR":1,"BLOCKS_PER_SM":4,"STAGES":1,"LOAD":"l2_128","STORE":"write_through","CLAMP_FORM":"ternary"}',19,NULL,NULL,0);
INSERT INTO configuration VALUES(20,1,'{"BLOCK":256,"BLOCKS_PER_SM":8,"CLAMP_FORM":"ternary","LOAD":"no_allocate","LOAD_PATH":"registers","STAGES":1,"STORE":"streaming","VECTOR":1,"VECTORS_PER_THREAD":4}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":4,"VECTOR":1,"BLOCKS_PER_SM":8,"STAGES":1,"LOAD":"no_allocate","STORE":"streaming","CLAMP_FORM":"ternary"}',20,NULL,NULL,0);
INSERT INTO configuration VALUES(21,1,'{"BLOCK":128,"BLOCKS_PER_SM":16,"CLAMP_FORM":"ternary","LOAD":"read_only","LOAD_PATH":"registers","STAGES":1,"STORE":"streaming","VECTOR":1,"VECTORS_PER_THREAD":8}','{"LOAD_PATH":"registers","BLOCK":128,"VECTORS_PER_THREAD":8,"VECTOR":1,"BLOCKS_PER_SM":16,"STAGES":1,"LOAD":"read_only","STORE":"streaming","CLAMP_FORM":"ternary"}',21,1294639.5221169567667,NULL,0);
INSERT INTO configuration VALUES(22,1,'{"BLOCK":64,"BLOCKS_PER_SM":16,"CLAMP_FORM":"ternary","LOAD":"l2_256","LOAD_PATH":"registers","STAGES":1,"STORE":"write_through","VECTOR":1,"VECTORS_PER_THREAD":4}','{"LOAD_PATH":"registers","BLOCK":64,"VECTORS_PER_THREAD":4,"VECTOR":1,"BLOCKS_PER_SM":16,"STAGES":1,"LOAD":"l2_256","STORE":"write_through","CLAMP_FORM":"ternary"}',22,NULL,NULL,0);
INSERT INTO configuration VALUES(23,1,'{"BLOCK":256,"BLOCKS_PER_SM":2,"CLAMP_FORM":"ternary","LOAD":"read_only","LOAD_PATH":"registers","STAGES":1,"STORE":"write_through","VECTOR":2,"VECTORS_PER_THREAD":4}','{"LOAD_PATH":"registers","BLOCK":256,"VECTORS_PER_THREAD":4,"VECTOR":2,"BLOCKS_PER_SM":2,"STAGES":1,"LOAD":"read_only","STORE":"write_through","CLAMP_FORM":"ternary"}',23,1379708.2330431076698,NULL,0);
INSERT INTO configuration VALUES(24,1,'{"BLOCK":128,"BLOCKS_PER_SM":1,"CLAMP_FORM":"ternary","LOAD":"plain","LOAD_PATH":"cp_async_bulk","STAGES":8,"STORE":"cp_async_bulk","VECTOR":4,"VECTORS_PER_THREAD":1}','{"LOAD_PATH":"cp_async_bulk","BLOCK":128,"VECTORS_PER_THREAD":1,"VECTOR":4,"BLOCKS_PER_SM":1,"STAGES":8,"LOAD":"plain","STORE":"cp_async_bulk","CLAMP_FORM":"ternary"}',24,NULL,NULL,0);
CREATE TABLE measurement(
  id INTEGER PRIMARY KEY, session_id INTEGER NOT NULL REFERENCES session,
  configuration_id INTEGER NOT NULL REFERENCES configuration, status TEXT NOT NULL, reason TEXT NOT NULL,
  median_ns REAL, low_ns REAL, high_ns REAL, samples BLOB NOT NULL,
  registers_per_thread INTEGER NOT NULL, static_shared_bytes INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL, local_bytes INTEGER NOT NULL, threads_per_block INTEGER NOT NULL,
  blocks INTEGER NOT NULL, blocks_per_sm INTEGER NOT NULL, theoretical_occupancy REAL,
  compile_ms REAL, measure_ms REAL, time_stamp_ms INTEGER NOT NULL, preferred INTEGER, checksum INTEGER, counter_checksum INTEGER, replayed INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO measurement VALUES(1,1,1,'measured','',1698398.5074912081472,1695328.9712380710989,1699669.4913385151886,X'82c76c05d5e13941665cc87d55ef39417cf6b266bbed3941e80ea3f860de3941ecee7bb5a6e03941977e9162e4e739411a9fcef0daee3941a46444a1d8ec3941',205,0,0,0,128,1024,0,0.625,455.32477711011262043,2.7196625514576742155,1700000000001,NULL,2069405466300872565,3244421341483603138,0);
INSERT INTO measurement VALUES(2,1,2,'dropped','',2117319.1045491504482,1976164.4975792069453,NULL,X'',170,0,0,0,128,1024,0,0.875,366.94313356489629996,2.3700602240072030646,1700000000002,NULL,8829894249923670328,3244421341483603138,0);
INSERT INTO measurement VALUES(3,1,3,'dropped','',2059231.0614201691932,1921948.990658824332,NULL,X'',233,0,0,0,32,1024,0,1.0,445.24931074277583321,4.0096669486552665162,1700000000003,NULL,-3120335131803270602,3244421341483603138,0);
INSERT INTO measurement VALUES(4,1,4,'dropped','',1759670.7786964923143,1642359.3934500594623,NULL,X'',239,0,0,0,1024,1024,0,0.625,607.93070437467406465,4.3705820959892101029,1700000000004,NULL,-779088828754497140,3244421341483603138,0);
INSERT INTO measurement VALUES(5,1,5,'measured','',1765696.6284351288341,1762754.2078676167875,1768161.7611971751321,X'6dd1ddc2e1fa3a41c3cc25b17efa3a417a476f9ad0ec3a4140383bc20ff33a41e7cfdf4f82f93a41e8cf3635c2e53a4179d02bb7c6ed3a418b07877f71ef3a41',100,0,0,0,128,1024,0,0.125,365.64795410465717395,2.1901200121490096428,1700000000005,NULL,-7514193924526988019,3244421341483603138,0);
INSERT INTO measurement VALUES(6,1,6,'launch_invalid','needs more registers than a block of this size may have',NULL,NULL,NULL,X'',200,0,0,0,512,1024,0,0.125,385.46160991764713799,2.22909211642477878,1700000000006,NULL,2338438134407287133,3244421341483603138,0);
INSERT INTO measurement VALUES(7,1,7,'measured','',1478759.5832805247046,1476949.5236863673198,1482381.6574308753479,X'cbdf3334528c364104c3a1d1ed9c36411ff63ae4729336418a00f3fd588c36414d4f108655893641cd634da88d9e3641d028f3da8799364195c868465c8d3641',171,0,0,0,64,1024,0,0.375,359.49498633276942881,3.613847694171295366,1700000000007,NULL,2274643610805338299,3244421341483603138,0);
INSERT INTO measurement VALUES(8,1,8,'launch_invalid','needs more registers than a block of this size may have',NULL,NULL,NULL,X'',86,0,0,0,1024,1024,0,0.125,386.71852594462615116,2.8335264812447245041,1700000000008,NULL,-3695589875839156788,3244421341483603138,0);
INSERT INTO measurement VALUES(9,1,9,'launch_invalid','needs more registers than a block of this size may have',NULL,NULL,NULL,X'',41,0,0,0,128,1024,0,0.75,584.4559780718559523,4.7678875602016521639,1700000000009,NULL,3699599504779157772,3244421341483603138,0);
INSERT INTO measurement VALUES(10,1,10,'dropped','',2328815.3497242052108,2173560.9930759244598,NULL,X'',90,0,0,0,128,1024,0,0.125,568.90649267738308482,4.405598445606920599,1700000000010,NULL,-6326073998805137772,3244421341483603138,0);
INSERT INTO measurement VALUES(11,1,11,'dropped','',1822878.2566963802092,1701353.0395832879003,NULL,X'',200,0,0,0,32,1024,0,0.875,571.85373316581012657,4.9213523015294109441,1700000000011,NULL,-4360702529236007186,3244421341483603138,0);
INSERT INTO measurement VALUES(12,1,12,'dropped','',2012121.1495571485719,1877979.7395866718143,NULL,X'',108,0,0,0,512,1024,0,0.625,684.88320719821194869,3.0380984735327745127,1700000000012,NULL,-804680744189441893,3244421341483603138,0);
INSERT INTO measurement VALUES(13,2,13,'dropped','',2147032.0397630771622,2003896.5704455384984,NULL,X'',164,0,0,0,512,1024,0,0.5,342.30415704931016307,4.2709248168925579847,1700000000013,NULL,1971539271092412553,3244421341483603138,0);
INSERT INTO measurement VALUES(14,2,14,'compile_failed','needs more registers than a block of this size may have',NULL,NULL,NULL,X'',86,0,0,0,256,1024,0,0.125,638.25872310163481414,4.6242978129772218665,1700000000014,NULL,3171680322895102288,3244421341483603138,0);
INSERT INTO measurement VALUES(15,2,15,'measured','',1933971.1116339694708,1931091.5446774105075,1938240.9039473023731,X'251769e740933d41f1f67e49097e3d4124ed99baea793d4191fa6f8b53773d41b552a6be81903d417e1fa9ef1c873d41a4dfacbf94883d411b8ee00f44783d41',105,0,0,0,1024,1024,0,0.375,508.87276487952141225,2.519093461264466871,1700000000015,NULL,3552517866693387633,3244421341483603138,0);
INSERT INTO measurement VALUES(16,2,16,'measured','',1208530.2210976157803,1206175.0193888633511,1209889.4497765470296,X'a61facc80172324126abf6049f673241d56dff3a0f71324115473436957032413bbae1d5ad6e3241488e247321763241ecf2880d946f3241df33c018bc713241',81,0,0,0,256,1024,0,0.5,447.54388287822587243,2.415671260252974406,1700000000016,NULL,-8735512916590276799,3244421341483603138,0);
INSERT INTO measurement VALUES(17,2,17,'measured','',1534208.4799192505888,1530773.490955555113,1536371.7244172499049,X'3a93f6c310633741cda90caa386b37413928f5d60c6b3741a2d1c21ef46637416543af7d955b3741ad6873b973713741ff4df2ce4c7037417a7dffe8e0653741',46,0,0,0,32,1024,0,0.25,553.12703406618084047,5.3787631177245458502,1700000000017,NULL,-6060793134117878679,3244421341483603138,0);
INSERT INTO measurement VALUES(18,2,18,'dropped','',2463592.9241927252151,2299353.395913209766,NULL,X'',132,0,0,0,32,1024,0,0.25,628.19236704704462682,3.0933942345805913731,1700000000018,NULL,-648846865418277961,3244421341483603138,0);
INSERT INTO measurement VALUES(19,2,19,'dropped','',2161568.1089313672855,2017463.5683359424583,NULL,X'',223,0,0,0,32,1024,0,0.875,514.82928891858887256,5.8208871625284235307,1700000000019,NULL,5701318545425071867,3244421341483603138,0);
INSERT INTO measurement VALUES(20,2,20,'compile_failed','needs more registers than a block of this size may have',NULL,NULL,NULL,X'',248,0,0,0,64,1024,0,0.75,380.82533810961433572,3.1483564988148899921,1700000000020,NULL,7792226608953460530,3244421341483603138,0);
INSERT INTO measurement VALUES(21,2,21,'measured','',1294639.5221169567667,1293893.6175742668565,1298433.5905112300534,X'845a41fdbac13341688f110ea4c0334171c33254e9be334175be2b9701d03341df58199e45be33410b4722ddb3bf334131e663d687cf3341cb4062052acc3341',107,0,0,0,64,1024,0,0.375,650.92633359185742849,3.3254175498453037995,1700000000021,NULL,-1104860425496472743,3244421341483603138,0);
INSERT INTO measurement VALUES(22,2,22,'dropped','',1997461.6467325920238,1864297.5369504191912,NULL,X'',42,0,0,0,128,1024,0,0.375,491.10263439737298087,3.1059558099286013188,1700000000022,NULL,-3551908625660827661,3244421341483603138,0);
INSERT INTO measurement VALUES(23,2,23,'measured','',1379708.2330431076698,1378060.8707580934279,1381718.4601799999363,X'ca9ced4b560b3541425bce7556153541e100f515f50a3541abcda89b7c12354151d0632ba20f3541447b38d67d073541c79a2a94ea0f35419e00eade0c073541',104,0,0,0,128,1024,0,0.75,606.25147954374710933,3.8472209134504642413,1700000000023,NULL,8196266656009847477,3244421341483603138,0);
INSERT INTO measurement VALUES(24,2,24,'dropped','',1758682.8663698546588,1641437.3419451974331,NULL,X'',111,0,0,0,64,1024,0,1.0,355.24451717542331152,4.6149824708352831237,1700000000024,NULL,-8666031221725863268,3244421341483603138,0);
CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE counter(
  measurement_id INTEGER NOT NULL REFERENCES measurement ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metric, value REAL, PRIMARY KEY(measurement_id, metric_id))
  STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "workload"(
  id INTEGER PRIMARY KEY, kernel_id INTEGER NOT NULL REFERENCES kernel, problem_key TEXT NOT NULL,
  problem TEXT NOT NULL, gpu_key TEXT NOT NULL, cache_state TEXT NOT NULL, measured INTEGER NOT NULL DEFAULT 0, evaluated INTEGER NOT NULL DEFAULT 0,
  UNIQUE(kernel_id, problem_key, gpu_key, cache_state)) STRICT;
INSERT INTO workload VALUES(1,1,'{"N":67108864,"dtype":"f32","operation":"add"}','{"N":67108864,"dtype":"f32","operation":"add"}','5fd1cd2c4dc7369dd3cad860b37acea4','cold',8,24);
CREATE TABLE roof(
  gpu_key TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, relative_spread REAL NOT NULL,
  sm_clock_mhz REAL NOT NULL, time_stamp_ms INTEGER NOT NULL, driver_version INTEGER NOT NULL, checksum INTEGER,
  PRIMARY KEY(gpu_key, name)) STRICT, WITHOUT ROWID;
CREATE INDEX measurement_by_configuration ON measurement(configuration_id);
CREATE INDEX measurement_by_session ON measurement(session_id);
CREATE INDEX kernel_by_name ON kernel(name);
CREATE INDEX session_by_gpu ON session(gpu_id, started_ms);
CREATE INDEX gpu_by_key ON gpu(key);
CREATE TRIGGER measurement_changed AFTER UPDATE OF status, median_ns, preferred ON measurement BEGIN
  UPDATE configuration SET latest_preferred = nullif(NEW.preferred, 0),
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND latest_id = NEW.id;
END;
CREATE TRIGGER configuration_timed AFTER UPDATE OF latest_ns ON configuration
  WHEN (OLD.latest_ns IS NULL) <> (NEW.latest_ns IS NULL) BEGIN
  UPDATE "workload" SET measured = measured + iif(NEW.latest_ns IS NULL, -1, 1) WHERE id = NEW.workload_id;
END;
CREATE TRIGGER configuration_removed AFTER DELETE ON configuration WHEN OLD.latest_ns IS NOT NULL BEGIN
  UPDATE "workload" SET measured = measured - 1 WHERE id = OLD.workload_id;
END;
CREATE INDEX session_by_workload ON session(workload_id);
CREATE VIEW problem_entry AS
  SELECT workload.id AS workload_id, entry.key AS name, entry.type AS type, entry.value AS value
  FROM workload, json_each(workload.problem) AS entry;
CREATE VIEW latest_measurement AS
  SELECT workload_id, latest_id AS measurement_id FROM configuration WHERE latest_id IS NOT NULL;
CREATE TRIGGER measurement_added AFTER INSERT ON measurement BEGIN
  UPDATE configuration SET latest_id = NEW.id, latest_replayed = NEW.replayed,
    latest_preferred = nullif(NEW.preferred, 0),
    latest_ns = iif(NEW.status = 'measured', NEW.median_ns, NULL)
    WHERE id = NEW.configuration_id AND (latest_id IS NULL OR NEW.replayed < latest_replayed
      OR (NEW.replayed = latest_replayed AND latest_id < NEW.id));
  UPDATE workload SET evaluated = evaluated + 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = NEW.configuration_id);
END;
CREATE TRIGGER measurement_removed AFTER DELETE ON measurement BEGIN
  UPDATE configuration SET (latest_id, latest_ns, latest_preferred) =
    (SELECT id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM measurement
     WHERE configuration_id = OLD.configuration_id ORDER BY replayed, id DESC LIMIT 1),
    latest_replayed = coalesce(
      (SELECT min(replayed) FROM measurement WHERE configuration_id = OLD.configuration_id), 0)
    WHERE id = OLD.configuration_id AND latest_id = OLD.id;
  UPDATE workload SET evaluated = evaluated - 1
    WHERE id = (SELECT workload_id FROM configuration WHERE id = OLD.configuration_id);
END;
CREATE INDEX configuration_by_time ON configuration(workload_id, latest_replayed, latest_ns, latest_id);
CREATE INDEX configuration_preferred ON configuration(workload_id, latest_replayed, latest_ns, latest_id)
  WHERE latest_preferred IS NOT NULL;
CREATE VIEW winner AS
  SELECT place.workload_id AS workload_id, place.measurement_id AS measurement_id, median_ns FROM (
    SELECT id AS workload_id, coalesce(
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_preferred IS NOT NULL AND latest_replayed = 0
         AND latest_ns <= 1.01 *
         (SELECT latest_ns FROM configuration
          WHERE workload_id = workload.id AND latest_replayed = 0 AND latest_ns IS NOT NULL
          ORDER BY latest_ns LIMIT 1)
       ORDER BY latest_ns, latest_id LIMIT 1),
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_replayed = 0 AND latest_ns IS NOT NULL
       ORDER BY latest_ns, latest_id LIMIT 1),
      (SELECT latest_id FROM configuration
       WHERE workload_id = workload.id AND latest_replayed = 1 AND latest_ns IS NOT NULL
       ORDER BY latest_ns, latest_id LIMIT 1)) AS measurement_id
    FROM workload) AS place
  JOIN measurement ON measurement.id = place.measurement_id;
COMMIT;
PRAGMA application_id = 1465148514;
PRAGMA user_version = 9;
