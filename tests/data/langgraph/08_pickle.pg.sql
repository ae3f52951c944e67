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
pickled		__start__	00000000000000000000000000000001.0.14911571458638595	msgpack	\\x81a16e01
pickled		held	00000000000000000000000000000003.0.8095753825996649	pickle	\\x80049525000000000000008c0473686f70948c065469636b65749493942981947d948c066e756d626572944b0773622e
pickled		log	00000000000000000000000000000003.0.8095753825996649	msgpack	\\x91a56973737565
pickled		log	00000000000000000000000000000004.0.030898942626596315	msgpack	\\x92a56973737565a57072696365
pickled		answer	00000000000000000000000000000004.0.030898942626596315	msgpack	\\xc7330293a473686f70a44974656d82a3736b75a3746561a57072696365c7160093a7646563696d616ca7446563696d616ca4342e3530
pickled		log	00000000000000000000000000000005.0.9402586841648314	msgpack	\\x93a56973737565a57072696365a5636c6f7365
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
pickled		1f1ece07-80e1-66da-bfff-002242811f70	35816a3f-3160-8218-233d-c12532263d50	0	n	msgpack	\\x01	~__pregel_pull, __start__
pickled		1f1ece07-80e1-66da-bfff-002242811f70	35816a3f-3160-8218-233d-c12532263d50	1	branch:to:issue	null	\\x	~__pregel_pull, __start__
pickled		1f1ece07-80e5-6ccb-8000-7f139a4eff9d	cbe6b2a6-4b51-323b-43ca-e8c8ab2541b9	0	held	pickle	\\x80049525000000000000008c0473686f70948c065469636b65749493942981947d948c066e756d626572944b0773622e	~__pregel_pull, issue
pickled		1f1ece07-80e5-6ccb-8000-7f139a4eff9d	cbe6b2a6-4b51-323b-43ca-e8c8ab2541b9	1	log	msgpack	\\x91a56973737565	~__pregel_pull, issue
pickled		1f1ece07-80e5-6ccb-8000-7f139a4eff9d	cbe6b2a6-4b51-323b-43ca-e8c8ab2541b9	2	branch:to:price	null	\\x	~__pregel_pull, issue
pickled		1f1ece07-80e9-6de5-8001-32874b1e54c8	0eaf3649-6be2-c227-6c01-31993f6c8bc1	0	answer	msgpack	\\xc7330293a473686f70a44974656d82a3736b75a3746561a57072696365c7160093a7646563696d616ca7446563696d616ca4342e3530	~__pregel_pull, price
pickled		1f1ece07-80e9-6de5-8001-32874b1e54c8	0eaf3649-6be2-c227-6c01-31993f6c8bc1	1	log	msgpack	\\x91a57072696365	~__pregel_pull, price
pickled		1f1ece07-80e9-6de5-8001-32874b1e54c8	0eaf3649-6be2-c227-6c01-31993f6c8bc1	2	branch:to:close	null	\\x	~__pregel_pull, price
pickled		1f1ece07-80ed-6b7d-8002-760fe3b06849	b687fe57-bb02-b126-59dc-e4802e64170f	0	log	msgpack	\\x91a5636c6f7365	~__pregel_pull, close
\.
COPY public.checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata) FROM stdin;
pickled		1f1ece07-80e1-66da-bfff-002242811f70	\N	\N	{"v": 4, "id": "1f1ece07-80e1-66da-bfff-002242811f70", "ts": "2026-11-30T17:07:05.621452+00:00", "versions_seen": {"__input__": {}}, "channel_values": {}, "channel_versions": {"__start__": "00000000000000000000000000000001.0.14911571458638595"}, "updated_channels": ["__start__"]}	{"step": -1, "source": "input", "parents": {}}
pickled		1f1ece07-80e5-6ccb-8000-7f139a4eff9d	1f1ece07-80e1-66da-bfff-002242811f70	\N	{"v": 4, "id": "1f1ece07-80e5-6ccb-8000-7f139a4eff9d", "ts": "2026-11-30T17:07:05.623244+00:00", "versions_seen": {"__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.14911571458638595"}}, "channel_values": {"n": 1, "branch:to:issue": null}, "channel_versions": {"n": "00000000000000000000000000000002.0.3236181461715838", "__start__": "00000000000000000000000000000002.0.3236181461715838", "branch:to:issue": "00000000000000000000000000000002.0.3236181461715838"}, "updated_channels": ["branch:to:issue", "n"]}	{"step": 0, "source": "loop", "parents": {}}
pickled		1f1ece07-80e9-6de5-8001-32874b1e54c8	1f1ece07-80e5-6ccb-8000-7f139a4eff9d	\N	{"v": 4, "id": "1f1ece07-80e9-6de5-8001-32874b1e54c8", "ts": "2026-11-30T17:07:05.624910+00:00", "versions_seen": {"issue": {"branch:to:issue": "00000000000000000000000000000002.0.3236181461715838"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.14911571458638595"}}, "channel_values": {"n": 1, "branch:to:price": null}, "channel_versions": {"n": "00000000000000000000000000000002.0.3236181461715838", "log": "00000000000000000000000000000003.0.8095753825996649", "held": "00000000000000000000000000000003.0.8095753825996649", "__start__": "00000000000000000000000000000002.0.3236181461715838", "branch:to:issue": "00000000000000000000000000000003.0.8095753825996649", "branch:to:price": "00000000000000000000000000000003.0.8095753825996649"}, "updated_channels": ["branch:to:price", "held", "log"]}	{"step": 1, "source": "loop", "parents": {}}
pickled		1f1ece07-80ed-6b7d-8002-760fe3b06849	1f1ece07-80e9-6de5-8001-32874b1e54c8	\N	{"v": 4, "id": "1f1ece07-80ed-6b7d-8002-760fe3b06849", "ts": "2026-11-30T17:07:05.626488+00:00", "versions_seen": {"issue": {"branch:to:issue": "00000000000000000000000000000002.0.3236181461715838"}, "price": {"branch:to:price": "00000000000000000000000000000003.0.8095753825996649"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.14911571458638595"}}, "channel_values": {"n": 1, "branch:to:close": null}, "channel_versions": {"n": "00000000000000000000000000000002.0.3236181461715838", "log": "00000000000000000000000000000004.0.030898942626596315", "held": "00000000000000000000000000000003.0.8095753825996649", "answer": "00000000000000000000000000000004.0.030898942626596315", "__start__": "00000000000000000000000000000002.0.3236181461715838", "branch:to:close": "00000000000000000000000000000004.0.030898942626596315", "branch:to:issue": "00000000000000000000000000000003.0.8095753825996649", "branch:to:price": "00000000000000000000000000000004.0.030898942626596315"}, "updated_channels": ["answer", "branch:to:close", "log"]}	{"step": 2, "source": "loop", "parents": {}}
pickled		1f1ece07-80f1-60cf-8003-94f1091d8b5c	1f1ece07-80ed-6b7d-8002-760fe3b06849	\N	{"v": 4, "id": "1f1ece07-80f1-60cf-8003-94f1091d8b5c", "ts": "2026-11-30T17:07:05.627854+00:00", "versions_seen": {"close": {"branch:to:close": "00000000000000000000000000000004.0.030898942626596315"}, "issue": {"branch:to:issue": "00000000000000000000000000000002.0.3236181461715838"}, "price": {"branch:to:price": "00000000000000000000000000000003.0.8095753825996649"}, "__input__": {}, "__start__": {"__start__": "00000000000000000000000000000001.0.14911571458638595"}}, "channel_values": {"n": 1}, "channel_versions": {"n": "00000000000000000000000000000002.0.3236181461715838", "log": "00000000000000000000000000000005.0.9402586841648314", "held": "00000000000000000000000000000003.0.8095753825996649", "answer": "00000000000000000000000000000004.0.030898942626596315", "__start__": "00000000000000000000000000000002.0.3236181461715838", "branch:to:close": "00000000000000000000000000000005.0.9402586841648314", "branch:to:issue": "00000000000000000000000000000003.0.8095753825996649", "branch:to:price": "00000000000000000000000000000004.0.030898942626596315"}, "updated_channels": ["log"]}	{"step": 3, "source": "loop", "parents": {}}
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
