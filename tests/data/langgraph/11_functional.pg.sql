CREATE TABLE public.checkpoint_blobs (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    channel text NOT NULL,
    version text NOT NULL,
    type text NOT NULL,
    blob bytea
);
CREATE TABLE public.checkpoint_migrations (
    v integer NOT NULL
);
CREATE TABLE public.checkpoint_writes (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    checkpoint_id text NOT NULL,
    task_id text NOT NULL,
    idx integer NOT NULL,
    channel text NOT NULL,
    type text,
    blob bytea NOT NULL,
    task_path text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.checkpoints (
    thread_id text NOT NULL,
    checkpoint_ns text DEFAULT ''::text NOT NULL,
    checkpoint_id text NOT NULL,
    parent_checkpoint_id text,
    type text,
    checkpoint jsonb NOT NULL,
    metadata jsonb DEFAULT '{}'::jsonb NOT NULL
);
COPY public.checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob) FROM stdin;
func-done		__start__	00000000000000000000000000000001.0.4173293669359275	msgpack	\\x81a26f66920102
func-done		__end__	00000000000000000000000000000002.0.5697219782568788	msgpack	\\x920a14
func-done		__previous__	00000000000000000000000000000002.0.5697219782568788	msgpack	\\x82a7726573756c7473920a14a66265666f7265c0
func-done		__start__	00000000000000000000000000000003.0.22229898647966917	msgpack	\\x81a26f669103
func-done		__end__	00000000000000000000000000000004.0.4117943618125406	msgpack	\\x911e
func-done		__previous__	00000000000000000000000000000004.0.4117943618125406	msgpack	\\x82a7726573756c7473911ea66265666f726582a7726573756c7473920a14a66265666f7265c0
func-waiting		__start__	00000000000000000000000000000001.0.45821013164217694	msgpack	\\x82a26f66920506a361736bc3
func-answered		__start__	00000000000000000000000000000001.0.3406712638892233	msgpack	\\x82a26f669107a361736bc3
func-answered		__end__	00000000000000000000000000000002.0.5519729646147914	msgpack	\\x9246a3796573
func-answered		__previous__	00000000000000000000000000000002.0.5519729646147914	msgpack	\\x82a7726573756c74739246a3796573a66265666f7265c0
\.
COPY public.checkpoint_migrations (v) FROM stdin;
0
1
2
3
4
5
6
7
8
9
\.
COPY public.checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path) FROM stdin;
func-done		1f1ece07-863b-6f4c-bfff-087f6519a0f8	f9c7b935-1345-c4f7-8e72-3fb0ca9adafa	0	__return__	msgpack	\\x0a	~__pregel_push, ~__pregel_pull, workflow, 0000000000, 0000000001
func-done		1f1ece07-863b-6f4c-bfff-087f6519a0f8	fc233d79-019c-8d5b-0467-2b8d4e5a0d45	0	__return__	msgpack	\\x14	~__pregel_push, ~__pregel_pull, workflow, 0000000001, 0000000001
func-done		1f1ece07-863b-6f4c-bfff-087f6519a0f8	a06d68ea-7094-2a0f-adf0-0181d236564f	0	__end__	msgpack	\\x920a14	~__pregel_pull, workflow
func-done		1f1ece07-863b-6f4c-bfff-087f6519a0f8	a06d68ea-7094-2a0f-adf0-0181d236564f	1	__previous__	msgpack	\\x82a7726573756c7473920a14a66265666f7265c0	~__pregel_pull, workflow
func-done		1f1ece07-866b-646e-8001-b93a6083e201	c24bc75e-78cd-435e-bb9b-014639644906	0	__return__	msgpack	\\x1e	~__pregel_push, ~__pregel_pull, workflow, 0000000000, 0000000001
func-done		1f1ece07-866b-646e-8001-b93a6083e201	de30d743-2eea-573a-9b42-e8c4fe85f2db	0	__end__	msgpack	\\x911e	~__pregel_pull, workflow
func-done		1f1ece07-866b-646e-8001-b93a6083e201	de30d743-2eea-573a-9b42-e8c4fe85f2db	1	__previous__	msgpack	\\x82a7726573756c7473911ea66265666f726582a7726573756c7473920a14a66265666f7265c0	~__pregel_pull, workflow
func-waiting		1f1ece07-868b-632c-bfff-188c6b16901b	f3c67ff4-1c56-f614-98c4-327017ad211d	0	__return__	msgpack	\\x32	~__pregel_push, ~__pregel_pull, workflow, 0000000000, 0000000001
func-waiting		1f1ece07-868b-632c-bfff-188c6b16901b	9930a21d-e66d-e6b6-d58d-aa5baf4c0a5c	0	__return__	msgpack	\\x3c	~__pregel_push, ~__pregel_pull, workflow, 0000000001, 0000000001
func-waiting		1f1ece07-868b-632c-bfff-188c6b16901b	845354d9-0c23-c619-debc-e1d670baeed4	-3	__interrupt__	msgpack	\\x91c7640293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c756581a361736ba672696768743fa26964d9203735343730626264383434366638666233663631326230653664343230316439af726573706f6e73655f736368656d61c0	~__pregel_push, ~__pregel_pull, workflow, 0000000002, 0000000001
func-waiting		1f1ece07-868b-632c-bfff-188c6b16901b	661cb4e7-e23a-aed9-a650-235a862aebff	-3	__interrupt__	msgpack	\\x91c7640293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c756581a361736ba672696768743fa26964d9203735343730626264383434366638666233663631326230653664343230316439af726573706f6e73655f736368656d61c0	~__pregel_pull, workflow
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	990892e5-3302-f3c6-d2e8-abbd2d04098d	0	__return__	msgpack	\\x46	~__pregel_push, ~__pregel_pull, workflow, 0000000000, 0000000001
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	9f1287c6-23b5-efaf-36b3-ea1680029ae5	-3	__interrupt__	msgpack	\\x91c7640293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c756581a361736ba672696768743fa26964d9203261303432366431376461353130323836323866373038313631663065623636af726573706f6e73655f736368656d61c0	~__pregel_push, ~__pregel_pull, workflow, 0000000001, 0000000001
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	fc84205e-8f2f-2e6a-0764-987c4942d92d	-3	__interrupt__	msgpack	\\x91c7640293af6c616e6767726170682e7479706573a9496e7465727275707483a576616c756581a361736ba672696768743fa26964d9203261303432366431376461353130323836323866373038313631663065623636af726573706f6e73655f736368656d61c0	~__pregel_pull, workflow
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	00000000-0000-0000-0000-000000000000	-4	__resume__	msgpack	\\xa3796573	
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	9f1287c6-23b5-efaf-36b3-ea1680029ae5	-4	__resume__	msgpack	\\x91a3796573	~__pregel_push, ~__pregel_pull, workflow, 0000000001, 0000000001
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	9f1287c6-23b5-efaf-36b3-ea1680029ae5	1	__return__	msgpack	\\xa3796573	~__pregel_push, ~__pregel_pull, workflow, 0000000001, 0000000001
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	fc84205e-8f2f-2e6a-0764-987c4942d92d	0	__end__	msgpack	\\x9246a3796573	~__pregel_pull, workflow
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	fc84205e-8f2f-2e6a-0764-987c4942d92d	1	__previous__	msgpack	\\x82a7726573756c74739246a3796573a66265666f7265c0	~__pregel_pull, workflow
\.
COPY public.checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata) FROM stdin;
func-done		1f1ece07-863b-6f4c-bfff-087f6519a0f8	\N	\N	{"v": 4, "id": "1f1ece07-863b-6f4c-bfff-087f6519a0f8", "ts": "2026-11-30T17:07:06.182830+00:00", "versions_seen": {"__input__": {}}, "channel_values": {}, "channel_versions": {"__start__": "00000000000000000000000000000001.0.4173293669359275"}, "updated_channels": ["__start__"]}	{"step": -1, "source": "input", "parents": {}}
func-done		1f1ece07-8652-6f57-8000-ca6f0b6fc2b3	1f1ece07-863b-6f4c-bfff-087f6519a0f8	\N	{"v": 4, "id": "1f1ece07-8652-6f57-8000-ca6f0b6fc2b3", "ts": "2026-11-30T17:07:06.192237+00:00", "versions_seen": {"tenfold": {}, "workflow": {"__start__": "00000000000000000000000000000001.0.4173293669359275"}, "__input__": {}}, "channel_values": {}, "channel_versions": {"__end__": "00000000000000000000000000000002.0.5697219782568788", "__start__": "00000000000000000000000000000002.0.5697219782568788", "__previous__": "00000000000000000000000000000002.0.5697219782568788"}, "updated_channels": ["__end__", "__previous__"]}	{"step": 0, "source": "loop", "parents": {}}
func-done		1f1ece07-866b-646e-8001-b93a6083e201	1f1ece07-8652-6f57-8000-ca6f0b6fc2b3	\N	{"v": 4, "id": "1f1ece07-866b-646e-8001-b93a6083e201", "ts": "2026-11-30T17:07:06.202198+00:00", "versions_seen": {"tenfold": {}, "workflow": {"__start__": "00000000000000000000000000000001.0.4173293669359275"}, "__input__": {}}, "channel_values": {}, "channel_versions": {"__end__": "00000000000000000000000000000002.0.5697219782568788", "__start__": "00000000000000000000000000000003.0.22229898647966917", "__previous__": "00000000000000000000000000000002.0.5697219782568788"}, "updated_channels": ["__start__"]}	{"step": 1, "source": "input", "parents": {}}
func-done		1f1ece07-8678-6b16-8002-2c01934fb4a6	1f1ece07-866b-646e-8001-b93a6083e201	\N	{"v": 4, "id": "1f1ece07-8678-6b16-8002-2c01934fb4a6", "ts": "2026-11-30T17:07:06.207694+00:00", "versions_seen": {"tenfold": {}, "workflow": {"__start__": "00000000000000000000000000000003.0.22229898647966917"}, "__input__": {}}, "channel_values": {}, "channel_versions": {"__end__": "00000000000000000000000000000004.0.4117943618125406", "__start__": "00000000000000000000000000000004.0.4117943618125406", "__previous__": "00000000000000000000000000000004.0.4117943618125406"}, "updated_channels": ["__end__", "__previous__"]}	{"step": 2, "source": "loop", "parents": {}}
func-waiting		1f1ece07-868b-632c-bfff-188c6b16901b	\N	\N	{"v": 4, "id": "1f1ece07-868b-632c-bfff-188c6b16901b", "ts": "2026-11-30T17:07:06.215285+00:00", "versions_seen": {"__input__": {}}, "channel_values": {}, "channel_versions": {"__start__": "00000000000000000000000000000001.0.45821013164217694"}, "updated_channels": ["__start__"]}	{"step": -1, "source": "input", "parents": {}}
func-answered		1f1ece07-86c6-6c97-bfff-7aa4a887d26b	\N	\N	{"v": 4, "id": "1f1ece07-86c6-6c97-bfff-7aa4a887d26b", "ts": "2026-11-30T17:07:06.239681+00:00", "versions_seen": {"__input__": {}}, "channel_values": {}, "channel_versions": {"__start__": "00000000000000000000000000000001.0.3406712638892233"}, "updated_channels": ["__start__"]}	{"step": -1, "source": "input", "parents": {}}
func-answered		1f1ece07-8701-60a4-8000-816718c4d269	1f1ece07-86c6-6c97-bfff-7aa4a887d26b	\N	{"v": 4, "id": "1f1ece07-8701-60a4-8000-816718c4d269", "ts": "2026-11-30T17:07:06.263528+00:00", "versions_seen": {"ask": {}, "tenfold": {}, "workflow": {"__start__": "00000000000000000000000000000001.0.3406712638892233"}, "__input__": {}, "__interrupt__": {"__start__": "00000000000000000000000000000001.0.3406712638892233"}}, "channel_values": {}, "channel_versions": {"__end__": "00000000000000000000000000000002.0.5519729646147914", "__start__": "00000000000000000000000000000002.0.5519729646147914", "__previous__": "00000000000000000000000000000002.0.5519729646147914"}, "updated_channels": ["__end__", "__previous__"]}	{"step": 0, "source": "loop", "parents": {}}
\.
ALTER TABLE ONLY public.checkpoint_blobs
    ADD CONSTRAINT checkpoint_blobs_pkey PRIMARY KEY (thread_id, checkpoint_ns, channel, version);
ALTER TABLE ONLY public.checkpoint_migrations
    ADD CONSTRAINT checkpoint_migrations_pkey PRIMARY KEY (v);
ALTER TABLE ONLY public.checkpoint_writes
    ADD CONSTRAINT checkpoint_writes_pkey PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx);
ALTER TABLE ONLY public.checkpoints
    ADD CONSTRAINT checkpoints_pkey PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id);
CREATE INDEX checkpoint_blobs_thread_id_idx ON public.checkpoint_blobs USING btree (thread_id);
CREATE INDEX checkpoint_writes_thread_id_idx ON public.checkpoint_writes USING btree (thread_id);
CREATE INDEX checkpoints_thread_id_idx ON public.checkpoints USING btree (thread_id);
