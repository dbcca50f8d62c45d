
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;
CREATE TABLE public.admin_actions (
    id text NOT NULL,
    at timestamp(6) with time zone NOT NULL,
    caller text NOT NULL,
    address text NOT NULL,
    operation text NOT NULL,
    target text,
    input jsonb,
    result jsonb,
    status bigint
);
CREATE TABLE public.alerts (
    id text NOT NULL,
    rule text,
    subject_uri text,
    state text,
    channel text,
    attempts bigint,
    last_error text,
    fact text,
    follows text,
    digest text,
    detail text,
    episode bigint,
    occurred_at timestamp(6) with time zone,
    due_at timestamp(6) with time zone,
    next_at timestamp(6) with time zone,
    claimed_at timestamp(6) with time zone,
    sent_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone
);
CREATE TABLE public.event_log (
    seq bigint NOT NULL,
    delivery_id text NOT NULL,
    source text NOT NULL,
    event text,
    subject_uri text,
    occurred_at timestamp(6) with time zone,
    received_at timestamp(6) with time zone NOT NULL,
    outcome text NOT NULL,
    reason text,
    duplicates bigint DEFAULT 0 NOT NULL,
    changes jsonb,
    body text,
    encoding text,
    tie text NOT NULL,
    redacted boolean DEFAULT false NOT NULL,
    dismissed_at timestamp(6) with time zone
);
CREATE TABLE public.event_types (
    uri text NOT NULL,
    name text,
    active boolean,
    slug text,
    scheduling_url text,
    duration double precision,
    kind text,
    pooling_type text,
    type text,
    color text,
    internal_note text,
    description_plain text,
    description_html text,
    profile jsonb,
    owner_uri text,
    secret boolean,
    booking_method text,
    custom_questions jsonb,
    admin_managed boolean,
    locations jsonb,
    "position" double precision,
    locale text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone,
    deleted_source text,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
CREATE TABLE public.invitees (
    uri text NOT NULL,
    email text,
    first_name text,
    last_name text,
    name text,
    status text,
    timezone text,
    event_uri text,
    questions_and_answers jsonb,
    tracking jsonb,
    utm_campaign text,
    utm_source text,
    utm_medium text,
    utm_content text,
    utm_term text,
    salesforce_uuid text,
    text_reminder_number text,
    rescheduled boolean,
    old_invitee text,
    new_invitee text,
    cancel_url text,
    reschedule_url text,
    routing_form_submission text,
    payment jsonb,
    payment_external_id text,
    payment_provider text,
    payment_amount double precision,
    payment_currency text,
    payment_terms text,
    payment_successful boolean,
    no_show jsonb,
    no_show_uri text,
    no_show_at timestamp(6) with time zone,
    no_show_facts jsonb,
    reconfirmation jsonb,
    reconfirmation_sent_at timestamp(6) with time zone,
    reconfirmed_at timestamp(6) with time zone,
    scheduling_method text,
    invitee_scheduled_by text,
    cancellation jsonb,
    canceled_by text,
    cancel_reason text,
    canceler_type text,
    canceled_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
)
WITH (fillfactor='85');
CREATE TABLE public.meeting_recaps (
    uri text NOT NULL,
    event_uri text,
    event_name text,
    event_start_time timestamp(6) with time zone,
    event_end_time timestamp(6) with time zone,
    event_location jsonb,
    attendees jsonb,
    transcript text,
    speakers jsonb,
    summary_md text,
    action_items_md text,
    discussion_md text,
    share_link text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone,
    deleted_source text,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
CREATE TABLE public.scheduled_events (
    uri text NOT NULL,
    name text,
    status text,
    start_time timestamp(6) with time zone,
    end_time timestamp(6) with time zone,
    event_type text,
    location jsonb,
    join_url text,
    hosts jsonb,
    guests jsonb,
    invitees_counter jsonb,
    meeting_notes_plain text,
    meeting_notes_html text,
    cancellation jsonb,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
)
WITH (fillfactor='85');
CREATE TABLE public.contact_emails (
    contact_uri text NOT NULL,
    email text NOT NULL,
    is_primary boolean
);
CREATE TABLE public.contacts (
    uri text NOT NULL,
    name text,
    primary_email text,
    emails jsonb,
    phone_numbers jsonb,
    timezone text,
    job_title text,
    company text,
    country text,
    state text,
    city text,
    linkedin text,
    custom_fields jsonb,
    creation_source text,
    owner_uuid text,
    first_email_date timestamp(6) with time zone,
    last_email_date timestamp(6) with time zone,
    next_meeting_date timestamp(6) with time zone,
    last_meeting_date timestamp(6) with time zone,
    last_interaction_date timestamp(6) with time zone,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone,
    deleted_source text,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
)
WITH (fillfactor='85');
CREATE TABLE public.time_zones (
    name text NOT NULL COLLATE pg_catalog."C",
    starts_at timestamp(6) with time zone NOT NULL,
    offset_seconds bigint NOT NULL
);
CREATE TABLE public.users (
    uri text NOT NULL,
    name text,
    email text,
    slug text,
    timezone text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
CREATE TABLE public.contact_phone_numbers (
    contact_uri text NOT NULL,
    phone_number text NOT NULL,
    is_primary boolean
);
CREATE TABLE public.contact_search (
    uri text NOT NULL,
    name text,
    job_title text,
    company text,
    city text,
    timezone text,
    country text,
    state text,
    words text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone
);
CREATE TABLE public.contacts_wide_columns (
    field_uri text NOT NULL,
    column_name text NOT NULL,
    "position" bigint NOT NULL,
    label text,
    field_type text
);
CREATE TABLE public.custom_field_definitions (
    uri text NOT NULL,
    label text,
    field_type text,
    options jsonb,
    currency text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
ALTER TABLE public.event_log ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME public.event_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.feed_consumers (
    name text NOT NULL,
    "position" bigint NOT NULL,
    updated_at timestamp(6) with time zone NOT NULL
);
CREATE TABLE public.key_values (
    key text NOT NULL,
    value jsonb
);
CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);
CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.no_shows (
    invitee_uri text NOT NULL,
    marked_at timestamp(6) with time zone NOT NULL,
    no_show_uri text NOT NULL,
    unmarked_at timestamp(6) with time zone
);
CREATE TABLE public.organization_memberships (
    uri text NOT NULL,
    role text,
    user_uri text,
    organization_uri text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
CREATE TABLE public.routing_form_submissions (
    uri text NOT NULL,
    routing_form text,
    questions_and_answers jsonb,
    tracking jsonb,
    utm_campaign text,
    utm_source text,
    utm_medium text,
    utm_content text,
    utm_term text,
    salesforce_uuid text,
    result jsonb,
    result_type text,
    submitter text,
    submitter_type text,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
CREATE TABLE public.processes (
    id text NOT NULL,
    role text NOT NULL,
    host text NOT NULL,
    pid bigint NOT NULL,
    version text NOT NULL,
    admin_url text NOT NULL,
    started_at timestamp(6) with time zone NOT NULL,
    seen_at timestamp(6) with time zone NOT NULL,
    queue text,
    queue_waiting bigint,
    queue_active bigint,
    queue_failed bigint,
    queue_oldest_at timestamp(6) with time zone,
    active_oldest_at timestamp(6) with time zone,
    queue_losses bigint,
    spool_deliveries bigint,
    spool_since timestamp(6) with time zone,
    journal_batches bigint,
    journal_full boolean,
    low_disks text,
    accepted bigint,
    refused bigint,
    refused_stale bigint,
    lag_p50_ms bigint,
    lag_p99_ms bigint,
    last_batch_at timestamp(6) with time zone
);
CREATE TABLE public.routing_forms (
    uri text NOT NULL,
    name text,
    status text,
    organization_uri text,
    questions jsonb,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    deleted_at timestamp(6) with time zone,
    as_of timestamp(6) with time zone,
    version text,
    lagging jsonb,
    extra jsonb
);
CREATE TABLE public.sync_checkpoints (
    key text NOT NULL,
    value jsonb
);
CREATE TABLE public.webhook_subscriptions (
    uri text NOT NULL,
    callback_url text,
    state text,
    scope text,
    organization text,
    "user" text,
    "group" text,
    creator text,
    events jsonb,
    retry_started_at timestamp(6) with time zone,
    created_at timestamp(6) with time zone,
    updated_at timestamp(6) with time zone,
    checked_at timestamp(6) with time zone
);
INSERT INTO public.admin_actions VALUES ('sample of admin_actions', '2026-11-17 12:00:00+00', 'sample of admin_actions', 'sample of admin_actions', 'sample of admin_actions', 'sample of admin_actions', '{}', '{}', 1);
INSERT INTO public.alerts VALUES ('sample of alerts', 'sample of alerts', 'sample of alerts', 'sample of alerts', 'sample of alerts', 1, 'sample of alerts', 'sample of alerts', 'sample of alerts', 'sample of alerts', 'sample of alerts', 1, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00');
INSERT INTO public.contact_emails VALUES ('https://api.scheduling.test/contacts/f1f64981-fc8d-4d14-8b31-da892e41f339', 'isabel.weber.ef02c9@example.test', true);
INSERT INTO public.contact_emails VALUES ('https://api.scheduling.test/contacts/f009baa8-dd34-48e8-885e-188c8f16d707', 'rania.lindqvist.b26a08@example.test', true);
INSERT INTO public.contact_phone_numbers VALUES ('https://api.scheduling.test/contacts/f1f64981-fc8d-4d14-8b31-da892e41f339', '+12025550174', false);
INSERT INTO public.contact_phone_numbers VALUES ('https://api.scheduling.test/contacts/f009baa8-dd34-48e8-885e-188c8f16d707', '+12025550190', false);
INSERT INTO public.contact_search VALUES ('https://api.scheduling.test/contacts/f009baa8-dd34-48e8-885e-188c8f16d707', 'Rania Lindqvist', 'Consultant', 'Wren Foods', 'Jakarta', 'Asia/Jakarta', 'ID', NULL, NULL, '2026-11-16 12:00:00+00', '2026-11-17 12:00:00+00');
INSERT INTO public.contact_search VALUES ('https://api.scheduling.test/contacts/f1f64981-fc8d-4d14-8b31-da892e41f339', 'Isabel Weber', 'Director of Procurement', 'Timber Consulting', 'Bogotá', 'America/Bogota', 'CO', NULL, NULL, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00');
INSERT INTO public.contacts VALUES ('https://api.scheduling.test/contacts/77c19913-fc76-4b5d-8a5c-a871852cc153', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-17 12:00:00+00', 'webhook', '2026-11-17 12:00:00+00', NULL, NULL, NULL);
INSERT INTO public.contacts VALUES ('https://api.scheduling.test/contacts/f009baa8-dd34-48e8-885e-188c8f16d707', 'Rania Lindqvist', 'rania.lindqvist.b26a08@example.test', '[{"email": "rania.lindqvist.b26a08@example.test", "is_primary": true}]', '[{"phone_number": "+12025550190"}]', 'Asia/Jakarta', 'Consultant', 'Wren Foods', 'ID', NULL, 'Jakarta', 'https://network.example.test/in/b26a08a7', '[{"uri": "https://api.scheduling.test/contacts/custom_field_definitions/f2162c8f-5053-4c80-8ae5-3fb5a4452e38", "label": "Segment", "value": null}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/10f02d6b-b731-441d-88ea-9cac87180675", "label": "Notes", "value": "Met at the spring fair."}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/d145e0c9-1a9d-47a2-829a-b43fd56f2639", "label": "Seats", "value": 413}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/c86aa8a2-bb23-4b8d-8fd1-c8fc260cf14b", "label": "Contract value", "value": null}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/af6e756b-260b-4cf5-89b3-3d1b652d0637", "label": "Renewal", "value": "2027-12-23"}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/192ec154-f1c2-4016-85e7-bfbefe082c8a", "label": "Interests", "value": ["onboarding"]}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/876f2f04-2004-466e-8841-e7048473dce4", "label": "How did you hear of us?", "value": "A podcast"}]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-16 12:00:00+00', '2026-11-17 12:00:00+00', NULL, NULL, '2026-11-17 12:00:00+00', '02026111712000000020261117120000000000220261117120000000000facc226472e5f549', '{"user_uuid": "", "creation_source": ""}', NULL);
INSERT INTO public.contacts VALUES ('https://api.scheduling.test/contacts/f1f64981-fc8d-4d14-8b31-da892e41f339', 'Isabel Weber', 'isabel.weber.ef02c9@example.test', '[{"email": "isabel.weber.ef02c9@example.test", "is_primary": true}]', '[{"phone_number": "+12025550174"}]', 'America/Bogota', 'Director of Procurement', 'Timber Consulting', 'CO', NULL, 'Bogotá', 'https://network.example.test/in/ef02c9f7', '[{"uri": "https://api.scheduling.test/contacts/custom_field_definitions/f2162c8f-5053-4c80-8ae5-3fb5a4452e38", "label": "Segment", "value": null}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/10f02d6b-b731-441d-88ea-9cac87180675", "label": "Notes", "value": null}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/d145e0c9-1a9d-47a2-829a-b43fd56f2639", "label": "Seats", "value": null}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/c86aa8a2-bb23-4b8d-8fd1-c8fc260cf14b", "label": "Contract value", "value": 457450}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/af6e756b-260b-4cf5-89b3-3d1b652d0637", "label": "Renewal", "value": "2027-07-18"}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/192ec154-f1c2-4016-85e7-bfbefe082c8a", "label": "Interests", "value": ["events", "onboarding", "partnership"]}, {"uri": "https://api.scheduling.test/contacts/custom_field_definitions/876f2f04-2004-466e-8841-e7048473dce4", "label": "How did you hear of us?", "value": null}]', NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', NULL, NULL, '2026-11-17 12:00:00+00', '0202611171200000002026111712000000000012026111712000000000057b84724b3654a1a', '{"user_uuid": "", "creation_source": ""}', NULL);
INSERT INTO public.contacts_wide_columns VALUES ('https://api.example.test/contact_custom_fields/1', 'segment', 0, 'Segment', 'text');
INSERT INTO public.custom_field_definitions VALUES ('https://api.example.test/contact_custom_fields/1', 'Segment', 'text', NULL, NULL, NULL, NULL, NULL, '2026-11-17 12:00:00+00', '00000000000000000020261117120000000000000000000000000000000913829168ae9471f', '{"options": "", "currency": "", "created_at": "", "updated_at": ""}', NULL);
INSERT INTO public.event_log VALUES (1, '1b7142fed16f1b835d8354147ea5ca07e514b10b0e430650db0b231c4163822f', 'webhook', 'invitee.created', 'https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260/invitees/71e81a7b-2a6e-44de-8f9f-d377d0acbec3', '2026-11-17 12:00:00.000003+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"invitees": "created", "scheduled_events": "created"}', '{"event":"invitee.created","created_at":"2026-11-17T12:00:00.000003Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260/invitees/71e81a7b-2a6e-44de-8f9f-d377d0acbec3","email":"soren.ferrari.5df80d@example.test","first_name":"Søren","last_name":"Ferrari","name":"Søren Ferrari","status":"active","questions_and_answers":[{"question":"What would you like to talk about?","answer":"Pricing","position":0}],"timezone":"Europe/Rome","event":"https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260","created_at":"2026-11-17T12:00:00.000002Z","updated_at":"2026-11-17T12:00:00.000002Z","tracking":{"utm_campaign":null,"utm_source":null,"utm_medium":null,"utm_content":null,"utm_term":null,"salesforce_uuid":null},"text_reminder_number":"+12025550118","rescheduled":false,"old_invitee":null,"new_invitee":null,"cancel_url":"https://api.scheduling.test/cancellations/71e81a7b-2a6e-44de-8f9f-d377d0acbec3","reschedule_url":"https://api.scheduling.test/reschedulings/71e81a7b-2a6e-44de-8f9f-d377d0acbec3","routing_form_submission":null,"payment":null,"no_show":null,"reconfirmation":{"created_at":"2026-11-17T12:00:00.000002Z","confirmed_at":null},"scheduling_method":null,"invitee_scheduled_by":null,"scheduled_event":{"uri":"https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260","name":"Office visit","meeting_notes_plain":null,"meeting_notes_html":null,"status":"active","start_time":"2026-11-19T12:00:00.000000Z","end_time":"2026-11-19T12:30:00.000000Z","event_type":"https://api.scheduling.test/event_types/de1471d2-ca20-4445-8cee-afcebe85e5d3","location":{"type":"physical","location":"12 Harbour Street, second floor"},"invitees_counter":{"total":1,"active":1,"limit":1},"created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z","event_memberships":[{"user":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","user_email":"marta.kowalski.641b91@example.test","user_name":"Marta Kowalski"},{"user":"https://api.scheduling.test/users/c1284d3b-dd35-4fe0-869b-0bebad226e5d","user_email":"stefan.martin.56f6ca@example.test","user_name":"Stefan Martin"}],"event_guests":[]}}}', NULL, 'a81a64cd6249b16f', false, NULL);
INSERT INTO public.event_log VALUES (2, '6acd8c942ebd4b7b483d83b9d48ab79bbc8b046a7f1394613b5f857aefacfbb7', 'webhook', 'invitee.canceled', 'https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c/invitees/4597bbc3-b4aa-4357-8005-1aaf65aef463', '2026-11-17 12:00:00.000005+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"invitees": "created", "scheduled_events": "created"}', '{"event":"invitee.canceled","created_at":"2026-11-17T12:00:00.000005Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c/invitees/4597bbc3-b4aa-4357-8005-1aaf65aef463","email":"emeka.kapoor.166e2e@example.test","first_name":"Emeka","last_name":"Kapoor","name":"Emeka Kapoor","status":"canceled","questions_and_answers":[{"question":"What would you like to talk about?","answer":"Reporting\nBilling","position":0}],"timezone":"Europe/Paris","event":"https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c","created_at":"2026-11-17T12:00:00.000002Z","updated_at":"2026-11-17T12:00:00.000004Z","tracking":{"utm_campaign":null,"utm_source":null,"utm_medium":null,"utm_content":null,"utm_term":null,"salesforce_uuid":null},"text_reminder_number":null,"rescheduled":false,"old_invitee":null,"new_invitee":null,"cancel_url":"https://api.scheduling.test/cancellations/4597bbc3-b4aa-4357-8005-1aaf65aef463","reschedule_url":"https://api.scheduling.test/reschedulings/4597bbc3-b4aa-4357-8005-1aaf65aef463","routing_form_submission":null,"payment":null,"no_show":null,"reconfirmation":null,"scheduling_method":null,"invitee_scheduled_by":null,"cancellation":{"canceled_by":"Emeka Kapoor","reason":null,"canceler_type":"invitee","created_at":"2026-11-17T12:00:00.000004Z"},"scheduled_event":{"uri":"https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c","name":"Product demo","meeting_notes_plain":null,"meeting_notes_html":null,"status":"canceled","start_time":"2026-11-19T12:00:00.000000Z","end_time":"2026-11-19T12:45:00.000000Z","event_type":"https://api.scheduling.test/event_types/6e0951c8-ff4e-47aa-8109-3adc160181d2","location":{"type":"microsoft_teams_conference","status":"pushed","join_url":"https://teams.example.test/5a327427-5420","data":{}},"invitees_counter":{"total":1,"active":0,"limit":1},"created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000004Z","event_memberships":[{"user":"https://api.scheduling.test/users/de3e7ac9-b197-49df-8ba6-8b80f7535535","user_email":"ulrike.kapoor.087b8f@example.test","user_name":"Ulrike Kapoor"}],"event_guests":[],"cancellation":{"canceled_by":"Emeka Kapoor","reason":null,"canceler_type":"invitee","created_at":"2026-11-17T12:00:00.000004Z"}}}}', NULL, 'b2c3a05d8b88bb5e', false, NULL);
INSERT INTO public.event_log VALUES (3, '2ba2a31578b732ca87676598438d473a0682b7b13e2a1ba7f5f041f19323e95d', 'webhook', 'invitee_no_show.created', 'https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718/invitees/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2', '2026-11-17 12:00:00.000001+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"invitees": {"name": [null, "Xavier Van"], "email": [null, "xavier.van.a74ef8@example.test"], "status": [null, "active"], "no_show": [null, {"uri": "https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068", "created_at": "2026-11-17T12:00:00.000000Z"}], "timezone": [null, "America/Chicago"], "tracking": [null, {"utm_term": null, "utm_medium": null, "utm_source": null, "utm_content": null, "utm_campaign": null, "salesforce_uuid": null}], "event_uri": [null, "https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718"], "last_name": [null, "Van"], "cancel_url": [null, "https://api.scheduling.test/cancellations/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2"], "created_at": [null, "2026-11-14T12:00:00.000002Z"], "first_name": [null, "Xavier"], "no_show_at": [null, "2026-11-17T12:00:00.000000Z"], "updated_at": [null, "2026-11-14T12:00:00.000002Z"], "no_show_uri": [null, "https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068"], "rescheduled": [null, false], "reschedule_url": [null, "https://api.scheduling.test/reschedulings/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2"], "text_reminder_number": [null, "+12025550186"], "questions_and_answers": [null, []]}, "scheduled_events": "created"}', '{"event":"invitee_no_show.created","created_at":"2026-11-17T12:00:00.000001Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718/invitees/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2","email":"xavier.van.a74ef8@example.test","first_name":"Xavier","last_name":"Van","name":"Xavier Van","status":"active","questions_and_answers":[],"timezone":"America/Chicago","event":"https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718","created_at":"2026-11-14T12:00:00.000002Z","updated_at":"2026-11-14T12:00:00.000002Z","tracking":{"utm_campaign":null,"utm_source":null,"utm_medium":null,"utm_content":null,"utm_term":null,"salesforce_uuid":null},"text_reminder_number":"+12025550186","rescheduled":false,"old_invitee":null,"new_invitee":null,"cancel_url":"https://api.scheduling.test/cancellations/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2","reschedule_url":"https://api.scheduling.test/reschedulings/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2","routing_form_submission":null,"payment":null,"no_show":{"uri":"https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068","created_at":"2026-11-17T12:00:00.000000Z"},"reconfirmation":null,"scheduling_method":null,"invitee_scheduled_by":null,"scheduled_event":{"uri":"https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718","name":"Onboarding workshop","meeting_notes_plain":null,"meeting_notes_html":null,"status":"active","start_time":"2026-11-17T11:00:00.000000Z","end_time":"2026-11-17T12:00:00.000000Z","event_type":"https://api.scheduling.test/event_types/355708fc-67d4-478c-872e-effd52a8b498","location":{"type":"zoom_conference","status":"pushed","join_url":"https://zoom.example.test/j/78860547631","data":{"id":78860547631,"settings":{},"extra":null}},"invitees_counter":{"total":1,"active":1,"limit":8},"created_at":"2026-11-14T12:00:00.000000Z","updated_at":"2026-11-14T12:00:00.000000Z","event_memberships":[{"user":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","user_email":"marta.kowalski.641b91@example.test","user_name":"Marta Kowalski"}],"event_guests":[]}}}', NULL, '8cb6976995740c75', false, NULL);
INSERT INTO public.event_log VALUES (4, '8d0168d61174e501c9714c0fae03d8c0a1dee17b5789438d3042b23576a6c5fe', 'webhook', 'invitee_no_show.deleted', 'https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33/invitees/48fe0261-cf8e-4bcc-8d36-1f0ae4573850', '2026-11-17 12:00:00.000002+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"invitees": "created", "scheduled_events": "created"}', '{"event":"invitee_no_show.deleted","created_at":"2026-11-17T12:00:00.000002Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33/invitees/48fe0261-cf8e-4bcc-8d36-1f0ae4573850","email":"ines.marin.f820d6@example.test","first_name":"Ines","last_name":"Marin","name":"Ines Marin","status":"active","questions_and_answers":[],"timezone":"Africa/Casablanca","event":"https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33","created_at":"2026-11-14T12:00:00.000002Z","updated_at":"2026-11-14T12:00:00.000002Z","tracking":{"utm_campaign":"spring-launch","utm_source":"search","utm_medium":"email","utm_content":null,"utm_term":null,"salesforce_uuid":null},"text_reminder_number":null,"rescheduled":false,"old_invitee":null,"new_invitee":null,"cancel_url":"https://api.scheduling.test/cancellations/48fe0261-cf8e-4bcc-8d36-1f0ae4573850","reschedule_url":"https://api.scheduling.test/reschedulings/48fe0261-cf8e-4bcc-8d36-1f0ae4573850","routing_form_submission":null,"payment":null,"no_show":null,"reconfirmation":null,"scheduling_method":null,"invitee_scheduled_by":null,"scheduled_event":{"uri":"https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33","name":"Support line","meeting_notes_plain":null,"meeting_notes_html":null,"status":"active","start_time":"2026-11-17T11:00:00.000000Z","end_time":"2026-11-17T11:15:00.000000Z","event_type":"https://api.scheduling.test/event_types/38c70132-a5b8-4bbf-8c9a-71ab2f95301c","location":{"type":"inbound_call","location":"+12025550100"},"invitees_counter":{"total":1,"active":1,"limit":1},"created_at":"2026-11-14T12:00:00.000000Z","updated_at":"2026-11-14T12:00:00.000000Z","event_memberships":[{"user":"https://api.scheduling.test/users/c1284d3b-dd35-4fe0-869b-0bebad226e5d","user_email":"stefan.martin.56f6ca@example.test","user_name":"Stefan Martin"}],"event_guests":[{"email":"guest.675@example.test","created_at":"2026-11-14T12:00:00.000000Z","updated_at":"2026-11-14T12:00:00.000000Z"}]}}}', NULL, '1f22baf352a19dca', false, NULL);
INSERT INTO public.event_log VALUES (5, '86bda70f6165b9283b57b1540215a89e1eb6eacea323a67ffb32e4b69e2ca5a5', 'webhook', 'meeting_recap.created', 'https://api.scheduling.test/meeting_recaps/7aa37ea9-f929-4a18-8317-ba6b2a896639', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"meeting_recaps": "created"}', '{"event":"meeting_recap.created","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/meeting_recaps/7aa37ea9-f929-4a18-8317-ba6b2a896639","user":"https://api.scheduling.test/users/de3e7ac9-b197-49df-8ba6-8b80f7535535","organization":"https://api.scheduling.test/organizations/f42e25a1-25bc-4062-8eb3-4845701d6276","event":"https://api.scheduling.test/scheduled_events/70a487a7-65f1-4bfc-8226-7754d8b0e268","name":"Discovery call","start_time":"2026-11-17T11:00:00.000000Z","end_time":"2026-11-17T11:30:00.000000Z","location":"https://meet.example.test/388e6e02-50da","attendees":[{"host":true,"user_email":"ulrike.kapoor.087b8f@example.test","user_name":"Ulrike Kapoor"},{"host":false,"user_email":"zofia.moreau.d6928b@example.test","user_name":"Zofia Moreau"}],"transcript":"https://api.scheduling.test/meeting_recaps/7aa37ea9-f929-4a18-8317-ba6b2a896639/transcript","summary_md":"## Summary\nWalked through the import; two questions left open.","action_items_md":"- Share the pricing sheet\n- Invite the security team","discussion_md":"### Goals\nFewer missed meetings, faster replies.","notes":null,"share_link":null,"created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z"}}', NULL, 'cd1ccff376d8eb35', false, NULL);
INSERT INTO public.event_log VALUES (6, 'bb73c2a58ffd7c6162c056e020ba4839ced1ac7848690491615bdbc17834812d', 'webhook', 'meeting_recap.updated', 'https://api.scheduling.test/meeting_recaps/7632acba-e366-43c4-8d92-69d90abc145f', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"meeting_recaps": "created"}', '{"event":"meeting_recap.updated","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/meeting_recaps/7632acba-e366-43c4-8d92-69d90abc145f","user":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","organization":"https://api.scheduling.test/organizations/f42e25a1-25bc-4062-8eb3-4845701d6276","event":"https://api.scheduling.test/scheduled_events/93f26e4c-aa49-49af-8033-448d5ee73635","name":"Intro call","start_time":"2026-11-17T11:00:00.000000Z","end_time":"2026-11-17T11:30:00.000000Z","location":"https://zoom.example.test/j/16043952184","attendees":[{"host":true,"user_email":"marta.kowalski.641b91@example.test","user_name":"Marta Kowalski"},{"host":false,"user_email":"rahul.kelly.caa2f2@example.test","user_name":"Rahul Kelly"}],"transcript":"https://api.scheduling.test/meeting_recaps/7632acba-e366-43c4-8d92-69d90abc145f/transcript","summary_md":"## Summary\nRevised.","action_items_md":"- Share the pricing sheet\n- Invite the security team","discussion_md":"### Goals\nFewer missed meetings, faster replies.","notes":null,"share_link":"https://api.scheduling.test/pages/recaps/cd8ddb49-e73c-4619-8405-3fc36f0f39c7","created_at":"2026-11-17T11:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z"}}', NULL, '7c3a18024dde0e95', false, NULL);
INSERT INTO public.event_log VALUES (7, 'bac182b6d15280f934fdd93e35224f10a6481db8e7ab9802afb357ed8aa491d6', 'webhook', 'meeting_recap.deleted', 'https://api.scheduling.test/meeting_recaps/26464de3-f5cd-4029-83c4-ac597f759957', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"meeting_recaps": {"deleted_at": [null, "2026-11-17T12:00:00.000000Z"]}}', '{"event":"meeting_recap.deleted","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/meeting_recaps/26464de3-f5cd-4029-83c4-ac597f759957","deleted_at":"2026-11-17T12:00:00.000000Z"}}', NULL, '92cfd4bfef00f431', false, NULL);
INSERT INTO public.event_log VALUES (8, 'f803278c37de5f517ddc801bb4779cb057c7dbc8c6bbd2356439dcde5505e033', 'webhook', 'routing_form_submission.created', 'https://api.scheduling.test/routing_form_submissions/00a0fbf1-3f71-467d-8cdb-c6cb8927ce37', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"routing_form_submissions": "created"}', '{"event":"routing_form_submission.created","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/routing_form_submissions/00a0fbf1-3f71-467d-8cdb-c6cb8927ce37","routing_form":"https://api.scheduling.test/routing_forms/90d7b056-09da-4c70-8b66-a8ae068dce7f","questions_and_answers":[{"question_uuid":"72421b66-d14d-40c3-82f1-1a9bb07d3412","question":"Your name","answer":"Cem Wagner"},{"question_uuid":"14310dbc-e281-4040-8ffe-7c37ce06d446","question":"Work e-mail","answer":"cem.wagner.8dba8a@example.test"},{"question_uuid":"b9a323a8-a6a8-4f5a-8282-d058702241d4","question":"What brings you here?","answer":"Pricing"}],"tracking":{"utm_campaign":null,"utm_source":null,"utm_medium":null,"utm_content":null,"utm_term":null,"salesforce_uuid":null},"result":{"type":"external_url","value":"https://northwind.example.test/pricing"},"submitter":null,"submitter_type":null,"created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z"}}', NULL, '8a879dd2497409a8', false, NULL);
INSERT INTO public.event_log VALUES (9, 'd7d9da2c228b6dfa8064487f5731d97eb944ffc7d78ec3c5ccc542b3382df328', 'webhook', 'contact.created', 'https://api.scheduling.test/contacts/f1f64981-fc8d-4d14-8b31-da892e41f339', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"contacts": "created"}', '{"event":"contact.created","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"phone_numbers":[{"phone_number":"+12025550174"}],"name":"Isabel Weber","timezone":"America/Bogota","job_title":"Director of Procurement","company":"Timber Consulting","country":"CO","state":null,"city":"Bogotá","linkedin":"https://network.example.test/in/ef02c9f7","emails":[{"email":"isabel.weber.ef02c9@example.test","is_primary":true}],"uri":"https://api.scheduling.test/contacts/f1f64981-fc8d-4d14-8b31-da892e41f339","created_at":"2026-11-17T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z","first_email_date":null,"last_email_date":null,"custom_fields":[{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/f2162c8f-5053-4c80-8ae5-3fb5a4452e38","value":null,"label":"Segment"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/10f02d6b-b731-441d-88ea-9cac87180675","value":null,"label":"Notes"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/d145e0c9-1a9d-47a2-829a-b43fd56f2639","value":null,"label":"Seats"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/c86aa8a2-bb23-4b8d-8fd1-c8fc260cf14b","value":457450,"label":"Contract value"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/af6e756b-260b-4cf5-89b3-3d1b652d0637","value":"2027-07-18","label":"Renewal"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/192ec154-f1c2-4016-85e7-bfbefe082c8a","value":["events","onboarding","partnership"],"label":"Interests"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/876f2f04-2004-466e-8841-e7048473dce4","value":null,"label":"How did you hear of us?"}],"next_meeting_date":null,"last_meeting_date":null,"last_interaction_date":null}}', NULL, '57b84724b3654a1a', false, NULL);
INSERT INTO public.event_log VALUES (10, 'b917d2b5b3541f19b9dbbd9c51dcf38b2c1ab8e619633eb6150158bdcdfe5e75', 'webhook', 'contact.updated', 'https://api.scheduling.test/contacts/f009baa8-dd34-48e8-885e-188c8f16d707', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"contacts": "created"}', '{"event":"contact.updated","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"phone_numbers":[{"phone_number":"+12025550190"}],"name":"Rania Lindqvist","timezone":"Asia/Jakarta","job_title":"Consultant","company":"Wren Foods","country":"ID","state":null,"city":"Jakarta","linkedin":"https://network.example.test/in/b26a08a7","emails":[{"email":"rania.lindqvist.b26a08@example.test","is_primary":true}],"uri":"https://api.scheduling.test/contacts/f009baa8-dd34-48e8-885e-188c8f16d707","created_at":"2026-11-16T12:00:00.000000Z","updated_at":"2026-11-17T12:00:00.000000Z","first_email_date":null,"last_email_date":null,"custom_fields":[{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/f2162c8f-5053-4c80-8ae5-3fb5a4452e38","value":null,"label":"Segment"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/10f02d6b-b731-441d-88ea-9cac87180675","value":"Met at the spring fair.","label":"Notes"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/d145e0c9-1a9d-47a2-829a-b43fd56f2639","value":413,"label":"Seats"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/c86aa8a2-bb23-4b8d-8fd1-c8fc260cf14b","value":null,"label":"Contract value"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/af6e756b-260b-4cf5-89b3-3d1b652d0637","value":"2027-12-23","label":"Renewal"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/192ec154-f1c2-4016-85e7-bfbefe082c8a","value":["onboarding"],"label":"Interests"},{"uri":"https://api.scheduling.test/contacts/custom_field_definitions/876f2f04-2004-466e-8841-e7048473dce4","value":"A podcast","label":"How did you hear of us?"}],"next_meeting_date":null,"last_meeting_date":null,"last_interaction_date":null}}', NULL, 'facc226472e5f549', false, NULL);
INSERT INTO public.event_log VALUES (11, '700afbffc02c9ab7db820bd00803aade33d488e3cfa4b8707e330ea07599d852', 'webhook', 'contact.deleted', 'https://api.scheduling.test/contacts/77c19913-fc76-4b5d-8a5c-a871852cc153', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"contacts": {"deleted_at": [null, "2026-11-17T12:00:00.000000Z"]}}', '{"event":"contact.deleted","created_at":"2026-11-17T12:00:00.000000Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"uri":"https://api.scheduling.test/contacts/77c19913-fc76-4b5d-8a5c-a871852cc153","deleted_at":"2026-11-17T12:00:00.000000Z"}}', NULL, 'aaebfc0be3e5ab32', false, NULL);
INSERT INTO public.event_log VALUES (12, 'f18e84a35beda1e00d2b5a21f02b87bf997091400f6324e0b9df9efce1096f87', 'webhook', 'event_type.created', 'https://api.scheduling.test/event_types/96a4ecf9-f1d0-42c5-8c87-081ea40ae9b5', '2026-11-17 12:00:00.000001+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"event_types": "created"}', '{"event":"event_type.created","created_at":"2026-11-17T12:00:00.000001Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"active":true,"slug":"office-visit","scheduling_url":"https://api.scheduling.test/pages/marta-kowalski-641b91/office-visit","kind":"solo","pooling_type":null,"type":"StandardEventType","color":"#0a7d8c","updated_at":"2026-11-17T12:00:00.000000Z","internal_note":null,"description_plain":"Thirty minutes with our team.","description_html":"<p>Thirty minutes with our team.</p>","profile":{"type":"User","name":"Marta Kowalski","owner":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"},"secret":false,"booking_method":"instant","custom_questions":[],"deleted_at":null,"admin_managed":false,"locations":[{"kind":"zoom_conference"}],"position":11,"locale":"en","uri":"https://api.scheduling.test/event_types/96a4ecf9-f1d0-42c5-8c87-081ea40ae9b5","created_at":"2026-11-17T12:00:00.000000Z","name":"Office visit","duration":30}}', NULL, 'c5f8183eca69c386', false, NULL);
INSERT INTO public.event_log VALUES (13, '0ddd554c3489b2da9a1e38b3b93909e7499ecbd3fb1549cd117c6a17cffa3e50', 'webhook', 'event_type.updated', 'https://api.scheduling.test/event_types/2f29930c-21de-4fbb-888e-7dc62e0b2914', '2026-11-17 12:00:00.000001+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"event_types": "created"}', '{"event":"event_type.updated","created_at":"2026-11-17T12:00:00.000001Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"active":true,"slug":"office-visit","scheduling_url":"https://api.scheduling.test/pages/marta-kowalski-641b91/office-visit","kind":"solo","pooling_type":null,"type":"StandardEventType","color":"#0a7d8c","updated_at":"2026-11-17T12:00:00.000000Z","internal_note":"Checked.","description_plain":"Thirty minutes with our team.","description_html":"<p>Thirty minutes with our team.</p>","profile":{"type":"User","name":"Marta Kowalski","owner":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"},"secret":false,"booking_method":"instant","custom_questions":[],"deleted_at":null,"admin_managed":false,"locations":[{"kind":"zoom_conference"}],"position":11,"locale":"en","uri":"https://api.scheduling.test/event_types/2f29930c-21de-4fbb-888e-7dc62e0b2914","created_at":"2026-11-16T12:00:00.000000Z","name":"Office visit","duration":30}}', NULL, 'd5aae2103edf90d7', false, NULL);
INSERT INTO public.event_log VALUES (14, 'f9f995d82ec21e4ee51d65939fa7b31aee5c22741ea999369326a0766c728735', 'webhook', 'event_type.deleted', 'https://api.scheduling.test/event_types/a25d7c41-4e79-40b4-8664-165d5a4805b0', '2026-11-17 12:00:00.000001+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"event_types": {"kind": [null, "solo"], "name": [null, "Intro call"], "slug": [null, "intro-call"], "type": [null, "StandardEventType"], "color": [null, "#0a7d8c"], "active": [null, false], "locale": [null, "en"], "secret": [null, false], "profile": [null, {"name": "Marta Kowalski", "type": "User", "owner": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"}], "duration": [null, 30], "position": [null, 11], "locations": [null, [{"kind": "zoom_conference"}]], "owner_uri": [null, "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"], "created_at": [null, "2026-11-16T12:00:00.000000Z"], "deleted_at": [null, "2026-11-17T12:00:00.000000Z"], "updated_at": [null, "2026-11-17T12:00:00.000000Z"], "admin_managed": [null, false], "booking_method": [null, "instant"], "scheduling_url": [null, "https://api.scheduling.test/pages/marta-kowalski-641b91/intro-call"], "custom_questions": [null, []], "description_html": [null, "<p>Thirty minutes with our team.</p>"], "description_plain": [null, "Thirty minutes with our team."]}}', '{"event":"event_type.deleted","created_at":"2026-11-17T12:00:00.000001Z","created_by":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34","payload":{"active":false,"slug":"intro-call","scheduling_url":"https://api.scheduling.test/pages/marta-kowalski-641b91/intro-call","kind":"solo","pooling_type":null,"type":"StandardEventType","color":"#0a7d8c","updated_at":"2026-11-17T12:00:00.000000Z","internal_note":null,"description_plain":"Thirty minutes with our team.","description_html":"<p>Thirty minutes with our team.</p>","profile":{"type":"User","name":"Marta Kowalski","owner":"https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"},"secret":false,"booking_method":"instant","custom_questions":[],"deleted_at":"2026-11-17T12:00:00.000000Z","admin_managed":false,"locations":[{"kind":"zoom_conference"}],"position":11,"locale":"en","uri":"https://api.scheduling.test/event_types/a25d7c41-4e79-40b4-8664-165d5a4805b0","created_at":"2026-11-16T12:00:00.000000Z","name":"Intro call","duration":30}}', NULL, 'fff3c63f5b1f07ca', false, NULL);
INSERT INTO public.event_log VALUES (15, 'custom_field_definition.read-913829168ae9471fe3df5f4ad064ec8832dd12dd4316a421e24553804dc74700', 'backfill', 'custom_field_definition.read', 'https://api.example.test/contact_custom_fields/1', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"custom_field_definitions": "created"}', '{"event":"custom_field_definition.read","payload":{"uri":"https://api.example.test/contact_custom_fields/1","label":"Segment","field_type":"text"}}', NULL, '913829168ae9471f', false, NULL);
INSERT INTO public.event_log VALUES (16, 'organization_membership.read-383c8106f2975bb1c1cc30f8ef52eb8e9304e2f5cbe5a382d383c0c0b0420987', 'backfill', 'organization_membership.read', 'https://api.example.test/organization_memberships/1', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"users": "created", "organization_memberships": "created"}', '{"event":"organization_membership.read","payload":{"uri":"https://api.example.test/organization_memberships/1","role":"owner","user":{"uri":"https://api.example.test/users/1","name":"Sample Host","email":"host@example.test","timezone":"UTC"},"organization":"https://api.example.test/organizations/1"}}', NULL, '383c8106f2975bb1', false, NULL);
INSERT INTO public.event_log VALUES (17, 'routing_form.read-c7eafea7bc64e7daf78d9ce65ab45682dc861370c9a465361e8a7d24404e5f6f', 'backfill', 'routing_form.read', 'https://api.example.test/routing_forms/1', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'applied', NULL, 0, '{"routing_forms": "created"}', '{"event":"routing_form.read","payload":{"uri":"https://api.example.test/routing_forms/1","name":"Sample form","questions":[]}}', NULL, 'c7eafea7bc64e7da', false, NULL);
INSERT INTO public.event_types VALUES ('https://api.scheduling.test/event_types/2f29930c-21de-4fbb-888e-7dc62e0b2914', 'Office visit', true, 'office-visit', 'https://api.scheduling.test/pages/marta-kowalski-641b91/office-visit', 30, 'solo', NULL, 'StandardEventType', '#0a7d8c', 'Checked.', 'Thirty minutes with our team.', '<p>Thirty minutes with our team.</p>', '{"name": "Marta Kowalski", "type": "User", "owner": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"}', 'https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34', false, 'instant', '[]', false, '[{"kind": "zoom_conference"}]', 11, 'en', '2026-11-16 12:00:00+00', '2026-11-17 12:00:00+00', NULL, NULL, '2026-11-17 12:00:00.000001+00', '02026111712000000020261117120000000001220261117120000000000d5aae2103edf90d7', NULL, NULL);
INSERT INTO public.event_types VALUES ('https://api.scheduling.test/event_types/96a4ecf9-f1d0-42c5-8c87-081ea40ae9b5', 'Office visit', true, 'office-visit', 'https://api.scheduling.test/pages/marta-kowalski-641b91/office-visit', 30, 'solo', NULL, 'StandardEventType', '#0a7d8c', NULL, 'Thirty minutes with our team.', '<p>Thirty minutes with our team.</p>', '{"name": "Marta Kowalski", "type": "User", "owner": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"}', 'https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34', false, 'instant', '[]', false, '[{"kind": "zoom_conference"}]', 11, 'en', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', NULL, NULL, '2026-11-17 12:00:00.000001+00', '02026111712000000020261117120000000001120261117120000000000c5f8183eca69c386', NULL, NULL);
INSERT INTO public.event_types VALUES ('https://api.scheduling.test/event_types/a25d7c41-4e79-40b4-8664-165d5a4805b0', 'Intro call', false, 'intro-call', 'https://api.scheduling.test/pages/marta-kowalski-641b91/intro-call', 30, 'solo', NULL, 'StandardEventType', '#0a7d8c', NULL, 'Thirty minutes with our team.', '<p>Thirty minutes with our team.</p>', '{"name": "Marta Kowalski", "type": "User", "owner": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34"}', 'https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34', false, 'instant', '[]', false, '[{"kind": "zoom_conference"}]', 11, 'en', '2026-11-16 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'webhook', '2026-11-17 12:00:00.000001+00', '02026111712000000020261117120000000001320261117120000000000fff3c63f5b1f07ca', NULL, NULL);
INSERT INTO public.feed_consumers VALUES ('sample of feed_consumers', 1, '2026-11-17 12:00:00+00');
INSERT INTO public.invitees VALUES ('https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c/invitees/4597bbc3-b4aa-4357-8005-1aaf65aef463', 'emeka.kapoor.166e2e@example.test', 'Emeka', 'Kapoor', 'Emeka Kapoor', 'canceled', 'Europe/Paris', 'https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c', '[{"answer": "Reporting\nBilling", "position": 0, "question": "What would you like to talk about?"}]', '{"utm_term": null, "utm_medium": null, "utm_source": null, "utm_content": null, "utm_campaign": null, "salesforce_uuid": null}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, 'https://api.scheduling.test/cancellations/4597bbc3-b4aa-4357-8005-1aaf65aef463', 'https://api.scheduling.test/reschedulings/4597bbc3-b4aa-4357-8005-1aaf65aef463', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"marks": {}, "unmarks": [], "snapshot": {"at": "2026-11-17T12:00:00.000005Z", "mark": null, "order": "3b2c3a05d8b88bb5e"}}', NULL, NULL, NULL, NULL, NULL, '{"reason": null, "created_at": "2026-11-17T12:00:00.000004Z", "canceled_by": "Emeka Kapoor", "canceler_type": "invitee"}', 'Emeka Kapoor', NULL, 'invitee', '2026-11-17 12:00:00.000004+00', '2026-11-17 12:00:00.000002+00', '2026-11-17 12:00:00.000004+00', '2026-11-17 12:00:00.000005+00', '12026111712000000020261117120000000005320261117120000000004b2c3a05d8b88bb5e', NULL, NULL);
INSERT INTO public.invitees VALUES ('https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33/invitees/48fe0261-cf8e-4bcc-8d36-1f0ae4573850', 'ines.marin.f820d6@example.test', 'Ines', 'Marin', 'Ines Marin', 'active', 'Africa/Casablanca', 'https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33', '[]', '{"utm_term": null, "utm_medium": "email", "utm_source": "search", "utm_content": null, "utm_campaign": "spring-launch", "salesforce_uuid": null}', 'spring-launch', 'search', 'email', NULL, NULL, NULL, NULL, false, NULL, NULL, 'https://api.scheduling.test/cancellations/48fe0261-cf8e-4bcc-8d36-1f0ae4573850', 'https://api.scheduling.test/reschedulings/48fe0261-cf8e-4bcc-8d36-1f0ae4573850', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"marks": {}, "unmarks": ["2026-11-17T12:00:00.000002Z"], "snapshot": null}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-14 12:00:00.000002+00', '2026-11-14 12:00:00.000002+00', '2026-11-17 12:00:00.000002+00', '020261114120000000202611171200000000022202611141200000000021f22baf352a19dca', '{"cancellation": ""}', NULL);
INSERT INTO public.invitees VALUES ('https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260/invitees/71e81a7b-2a6e-44de-8f9f-d377d0acbec3', 'soren.ferrari.5df80d@example.test', 'Søren', 'Ferrari', 'Søren Ferrari', 'active', 'Europe/Rome', 'https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260', '[{"answer": "Pricing", "position": 0, "question": "What would you like to talk about?"}]', '{"utm_term": null, "utm_medium": null, "utm_source": null, "utm_content": null, "utm_campaign": null, "salesforce_uuid": null}', NULL, NULL, NULL, NULL, NULL, NULL, '+12025550118', false, NULL, NULL, 'https://api.scheduling.test/cancellations/71e81a7b-2a6e-44de-8f9f-d377d0acbec3', 'https://api.scheduling.test/reschedulings/71e81a7b-2a6e-44de-8f9f-d377d0acbec3', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"marks": {}, "unmarks": [], "snapshot": {"at": "2026-11-17T12:00:00.000003Z", "mark": null, "order": "1a81a64cd6249b16f"}}', '{"created_at": "2026-11-17T12:00:00.000002Z", "confirmed_at": null}', '2026-11-17 12:00:00.000002+00', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-17 12:00:00.000002+00', '2026-11-17 12:00:00.000002+00', '2026-11-17 12:00:00.000003+00', '02026111712000000020261117120000000003120261117120000000002a81a64cd6249b16f', '{"cancellation": ""}', NULL);
INSERT INTO public.invitees VALUES ('https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718/invitees/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2', 'xavier.van.a74ef8@example.test', 'Xavier', 'Van', 'Xavier Van', 'active', 'America/Chicago', 'https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718', '[]', '{"utm_term": null, "utm_medium": null, "utm_source": null, "utm_content": null, "utm_campaign": null, "salesforce_uuid": null}', NULL, NULL, NULL, NULL, NULL, NULL, '+12025550186', false, NULL, NULL, 'https://api.scheduling.test/cancellations/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2', 'https://api.scheduling.test/reschedulings/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '{"uri": "https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068", "created_at": "2026-11-17T12:00:00.000000Z"}', 'https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068', '2026-11-17 12:00:00+00', '{"marks": {"https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068": {"at": "2026-11-17T12:00:00.000001Z", "created_at": "2026-11-17T12:00:00.000000Z"}}, "unmarks": [], "snapshot": null}', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-14 12:00:00.000002+00', '2026-11-14 12:00:00.000002+00', '2026-11-17 12:00:00.000001+00', '020261114120000000202611171200000000012202611141200000000028cb6976995740c75', '{"cancellation": ""}', NULL);
INSERT INTO public.key_values VALUES ('time_zones', '{"data": "2026c", "report": "UTC"}');
INSERT INTO public.key_values VALUES ('contact search', '{"filled": null, "offset": 17}');
INSERT INTO public.kysely_migration VALUES ('0001-first-release', '2026-11-17T12:00:00.000000Z');
INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);
INSERT INTO public.meeting_recaps VALUES ('https://api.scheduling.test/meeting_recaps/26464de3-f5cd-4029-83c4-ac597f759957', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '2026-11-17 12:00:00+00', 'webhook', '2026-11-17 12:00:00+00', NULL, NULL, NULL);
INSERT INTO public.meeting_recaps VALUES ('https://api.scheduling.test/meeting_recaps/7632acba-e366-43c4-8d92-69d90abc145f', 'https://api.scheduling.test/scheduled_events/93f26e4c-aa49-49af-8033-448d5ee73635', 'Intro call', '2026-11-17 11:00:00+00', '2026-11-17 11:30:00+00', '"https://zoom.example.test/j/16043952184"', '[{"host": true, "user_name": "Marta Kowalski", "user_email": "marta.kowalski.641b91@example.test"}, {"host": false, "user_name": "Rahul Kelly", "user_email": "rahul.kelly.caa2f2@example.test"}]', 'https://api.scheduling.test/meeting_recaps/7632acba-e366-43c4-8d92-69d90abc145f/transcript', NULL, '## Summary
Revised.', '- Share the pricing sheet
- Invite the security team', '### Goals
Fewer missed meetings, faster replies.', 'https://api.scheduling.test/pages/recaps/cd8ddb49-e73c-4619-8405-3fc36f0f39c7', '2026-11-17 11:00:00+00', '2026-11-17 12:00:00+00', NULL, NULL, '2026-11-17 12:00:00+00', '000000000000000000202611171200000000002202611171200000000007c3a18024dde0e95', '{"speakers": ""}', '{"user": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34", "notes": null, "organization": "https://api.scheduling.test/organizations/f42e25a1-25bc-4062-8eb3-4845701d6276"}');
INSERT INTO public.meeting_recaps VALUES ('https://api.scheduling.test/meeting_recaps/7aa37ea9-f929-4a18-8317-ba6b2a896639', 'https://api.scheduling.test/scheduled_events/70a487a7-65f1-4bfc-8226-7754d8b0e268', 'Discovery call', '2026-11-17 11:00:00+00', '2026-11-17 11:30:00+00', '"https://meet.example.test/388e6e02-50da"', '[{"host": true, "user_name": "Ulrike Kapoor", "user_email": "ulrike.kapoor.087b8f@example.test"}, {"host": false, "user_name": "Zofia Moreau", "user_email": "zofia.moreau.d6928b@example.test"}]', 'https://api.scheduling.test/meeting_recaps/7aa37ea9-f929-4a18-8317-ba6b2a896639/transcript', NULL, '## Summary
Walked through the import; two questions left open.', '- Share the pricing sheet
- Invite the security team', '### Goals
Fewer missed meetings, faster replies.', NULL, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', NULL, NULL, '2026-11-17 12:00:00+00', '00000000000000000020261117120000000000120261117120000000000cd1ccff376d8eb35', '{"speakers": ""}', '{"user": "https://api.scheduling.test/users/de3e7ac9-b197-49df-8ba6-8b80f7535535", "notes": null, "organization": "https://api.scheduling.test/organizations/f42e25a1-25bc-4062-8eb3-4845701d6276"}');
INSERT INTO public.no_shows VALUES ('https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718/invitees/6c234bb7-7011-42b0-8ba6-2ff4f3db96e2', '2026-11-17 12:00:00+00', 'https://api.scheduling.test/invitee_no_shows/ee27378d-2ecd-4a23-8087-5f8a199e3068', NULL);
INSERT INTO public.organization_memberships VALUES ('https://api.example.test/organization_memberships/1', 'owner', 'https://api.example.test/users/1', 'https://api.example.test/organizations/1', NULL, NULL, NULL, '2026-11-17 12:00:00+00', '00000000000000000020261117120000000000000000000000000000000383c8106f2975bb1', '{"created_at": "", "updated_at": ""}', NULL);
INSERT INTO public.processes VALUES ('sample of processes', 'sample of processes', 'sample of processes', 1, 'sample of processes', 'sample of processes', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 'sample of processes', 1, 1, 1, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', 1, 1, '2026-11-17 12:00:00+00', 1, true, 'sample of processes', 1, 1, 1, 1, 1, '2026-11-17 12:00:00+00');
INSERT INTO public.routing_form_submissions VALUES ('https://api.scheduling.test/routing_form_submissions/00a0fbf1-3f71-467d-8cdb-c6cb8927ce37', 'https://api.scheduling.test/routing_forms/90d7b056-09da-4c70-8b66-a8ae068dce7f', '[{"answer": "Cem Wagner", "question": "Your name", "question_uuid": "72421b66-d14d-40c3-82f1-1a9bb07d3412"}, {"answer": "cem.wagner.8dba8a@example.test", "question": "Work e-mail", "question_uuid": "14310dbc-e281-4040-8ffe-7c37ce06d446"}, {"answer": "Pricing", "question": "What brings you here?", "question_uuid": "b9a323a8-a6a8-4f5a-8282-d058702241d4"}]', '{"utm_term": null, "utm_medium": null, "utm_source": null, "utm_content": null, "utm_campaign": null, "salesforce_uuid": null}', NULL, NULL, NULL, NULL, NULL, NULL, '{"type": "external_url", "value": "https://northwind.example.test/pricing"}', 'external_url', NULL, NULL, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '020261117120000000202611171200000000001202611171200000000008a879dd2497409a8', NULL, NULL);
INSERT INTO public.routing_forms VALUES ('https://api.example.test/routing_forms/1', 'Sample form', NULL, NULL, '[]', NULL, NULL, NULL, '2026-11-17 12:00:00+00', '00000000000000000020261117120000000000000000000000000000000c7eafea7bc64e7da', '{"status": "", "created_at": "", "updated_at": "", "organization": ""}', NULL);
INSERT INTO public.scheduled_events VALUES ('https://api.scheduling.test/scheduled_events/48a296db-016b-4f0c-8e77-de368db29e3c', 'Product demo', 'canceled', '2026-11-19 12:00:00+00', '2026-11-19 12:45:00+00', 'https://api.scheduling.test/event_types/6e0951c8-ff4e-47aa-8109-3adc160181d2', '{"data": {}, "type": "microsoft_teams_conference", "status": "pushed", "join_url": "https://teams.example.test/5a327427-5420"}', 'https://teams.example.test/5a327427-5420', '[{"user": "https://api.scheduling.test/users/de3e7ac9-b197-49df-8ba6-8b80f7535535", "user_name": "Ulrike Kapoor", "user_email": "ulrike.kapoor.087b8f@example.test"}]', '[]', '{"limit": 1, "total": 1, "active": 0}', NULL, NULL, '{"reason": null, "created_at": "2026-11-17T12:00:00.000004Z", "canceled_by": "Emeka Kapoor", "canceler_type": "invitee"}', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00.000004+00', '2026-11-17 12:00:00.000005+00', '02026111712000000020261117120000000005320261117120000000004b2c3a05d8b88bb5e', NULL, NULL);
INSERT INTO public.scheduled_events VALUES ('https://api.scheduling.test/scheduled_events/74e26ea5-d5ed-4d36-85ad-7ec6608c6c33', 'Support line', 'active', '2026-11-17 11:00:00+00', '2026-11-17 11:15:00+00', 'https://api.scheduling.test/event_types/38c70132-a5b8-4bbf-8c9a-71ab2f95301c', '{"type": "inbound_call", "location": "+12025550100"}', NULL, '[{"user": "https://api.scheduling.test/users/c1284d3b-dd35-4fe0-869b-0bebad226e5d", "user_name": "Stefan Martin", "user_email": "stefan.martin.56f6ca@example.test"}]', '[{"email": "guest.675@example.test", "created_at": "2026-11-14T12:00:00.000000Z", "updated_at": "2026-11-14T12:00:00.000000Z"}]', '{"limit": 1, "total": 1, "active": 1}', NULL, NULL, NULL, '2026-11-14 12:00:00+00', '2026-11-14 12:00:00+00', '2026-11-17 12:00:00.000002+00', '020261114120000000202611171200000000022202611141200000000001f22baf352a19dca', '{"cancellation": ""}', NULL);
INSERT INTO public.scheduled_events VALUES ('https://api.scheduling.test/scheduled_events/96e7e120-e98a-468f-809d-08d323b4e260', 'Office visit', 'active', '2026-11-19 12:00:00+00', '2026-11-19 12:30:00+00', 'https://api.scheduling.test/event_types/de1471d2-ca20-4445-8cee-afcebe85e5d3', '{"type": "physical", "location": "12 Harbour Street, second floor"}', NULL, '[{"user": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34", "user_name": "Marta Kowalski", "user_email": "marta.kowalski.641b91@example.test"}, {"user": "https://api.scheduling.test/users/c1284d3b-dd35-4fe0-869b-0bebad226e5d", "user_name": "Stefan Martin", "user_email": "stefan.martin.56f6ca@example.test"}]', '[]', '{"limit": 1, "total": 1, "active": 1}', NULL, NULL, NULL, '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00.000003+00', '02026111712000000020261117120000000003120261117120000000000a81a64cd6249b16f', '{"cancellation": ""}', NULL);
INSERT INTO public.scheduled_events VALUES ('https://api.scheduling.test/scheduled_events/f47e0fd1-9d05-4c56-8fb3-9cbbd04b1718', 'Onboarding workshop', 'active', '2026-11-17 11:00:00+00', '2026-11-17 12:00:00+00', 'https://api.scheduling.test/event_types/355708fc-67d4-478c-872e-effd52a8b498', '{"data": {"id": 78860547631, "extra": null, "settings": {}}, "type": "zoom_conference", "status": "pushed", "join_url": "https://zoom.example.test/j/78860547631"}', 'https://zoom.example.test/j/78860547631', '[{"user": "https://api.scheduling.test/users/82aef524-a4d3-4edc-8a7a-813f4f1cce34", "user_name": "Marta Kowalski", "user_email": "marta.kowalski.641b91@example.test"}]', '[]', '{"limit": 8, "total": 1, "active": 1}', NULL, NULL, NULL, '2026-11-14 12:00:00+00', '2026-11-14 12:00:00+00', '2026-11-17 12:00:00.000001+00', '020261114120000000202611171200000000012202611141200000000008cb6976995740c75', '{"cancellation": ""}', NULL);
INSERT INTO public.sync_checkpoints VALUES ('sample of sync_checkpoints', '{}');
INSERT INTO public.time_zones VALUES ('utc', '0001-01-01 00:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '0001-01-01 00:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2008-06-01 00:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2008-08-31 23:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2009-06-01 00:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2009-08-20 23:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2010-05-02 00:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2010-08-07 23:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2011-04-03 00:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2011-07-30 23:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2012-04-29 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2012-07-20 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2012-08-20 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2012-09-30 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2013-04-28 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2013-07-07 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2013-08-10 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2013-10-27 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2014-03-30 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2014-06-28 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2014-08-02 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2014-10-26 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2015-03-29 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2015-06-14 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2015-07-19 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2015-10-25 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2016-03-27 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2016-06-05 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2016-07-10 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2016-10-30 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2017-03-26 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2017-05-21 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2017-07-02 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2017-10-29 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2018-03-25 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2018-05-13 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2018-06-17 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2019-05-05 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2019-06-09 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2020-04-19 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2020-05-31 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2021-04-11 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2021-05-16 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2022-03-27 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2022-05-08 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2023-03-19 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2023-04-23 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2024-03-10 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2024-04-14 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2025-02-23 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2025-04-06 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2026-02-15 02:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2026-03-22 02:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('africa/casablanca', '2026-09-20 01:00:00+00', 0);
INSERT INTO public.time_zones VALUES ('america/chicago', '0001-01-01 00:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2000-04-02 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2000-10-29 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2001-04-01 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2001-10-28 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2002-04-07 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2002-10-27 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2003-04-06 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2003-10-26 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2004-04-04 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2004-10-31 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2005-04-03 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2005-10-30 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2006-04-02 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2006-10-29 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2007-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2007-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2008-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2008-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2009-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2009-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2010-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2010-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2011-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2011-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2012-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2012-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2013-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2013-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2014-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2014-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2015-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2015-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2016-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2016-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2017-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2017-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2018-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2018-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2019-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2019-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2020-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2020-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2021-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2021-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2022-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2022-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2023-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2023-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2024-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2024-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2025-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2025-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2026-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2026-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2027-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2027-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2028-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2028-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2029-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2029-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2030-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2030-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2031-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2031-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2032-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2032-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2033-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2033-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2034-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2034-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2035-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2035-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2036-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2036-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2037-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2037-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2038-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2038-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2039-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2039-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2040-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2040-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2041-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2041-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2042-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2042-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2043-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2043-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2044-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2044-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2045-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2045-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2046-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2046-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2047-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2047-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2048-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2048-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2049-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2049-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2050-03-13 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2050-11-06 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2051-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2051-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2052-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2052-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2053-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2053-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2054-03-08 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2054-11-01 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2055-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2055-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2056-03-12 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2056-11-05 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2057-03-11 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2057-11-04 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2058-03-10 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2058-11-03 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2059-03-09 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2059-11-02 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('america/chicago', '2060-03-14 08:00:00+00', -18000);
INSERT INTO public.time_zones VALUES ('america/chicago', '2060-11-07 07:00:00+00', -21600);
INSERT INTO public.time_zones VALUES ('europe/paris', '0001-01-01 00:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2000-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2000-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2001-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2001-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2002-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2002-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2003-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2003-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2004-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2004-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2005-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2005-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2006-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2006-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2007-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2007-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2008-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2008-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2009-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2009-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2010-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2010-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2011-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2011-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2012-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2012-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2013-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2013-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2014-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2014-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2015-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2015-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2016-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2016-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2017-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2017-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2018-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2018-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2019-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2019-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2020-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2020-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2021-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2021-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2022-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2022-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2023-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2023-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2024-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2024-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2025-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2025-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2026-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2026-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2027-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2027-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2028-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2028-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2029-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2029-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2030-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2030-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2031-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2031-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2032-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2032-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2033-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2033-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2034-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2034-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2035-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2035-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2036-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2036-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2037-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2037-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2038-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2038-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2039-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2039-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2040-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2040-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2041-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2041-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2042-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2042-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2043-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2043-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2044-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2044-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2045-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2045-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2046-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2046-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2047-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2047-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2048-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2048-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2049-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2049-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2050-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2050-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2051-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2051-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2052-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2052-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2053-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2053-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2054-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2054-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2055-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2055-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2056-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2056-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2057-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2057-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2058-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2058-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2059-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2059-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/paris', '2060-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/paris', '2060-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '0001-01-01 00:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2000-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2000-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2001-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2001-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2002-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2002-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2003-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2003-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2004-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2004-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2005-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2005-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2006-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2006-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2007-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2007-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2008-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2008-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2009-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2009-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2010-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2010-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2011-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2011-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2012-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2012-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2013-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2013-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2014-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2014-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2015-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2015-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2016-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2016-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2017-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2017-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2018-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2018-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2019-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2019-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2020-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2020-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2021-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2021-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2022-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2022-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2023-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2023-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2024-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2024-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2025-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2025-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2026-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2026-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2027-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2027-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2028-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2028-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2029-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2029-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2030-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2030-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2031-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2031-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2032-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2032-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2033-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2033-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2034-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2034-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2035-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2035-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2036-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2036-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2037-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2037-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2038-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2038-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2039-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2039-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2040-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2040-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2041-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2041-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2042-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2042-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2043-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2043-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2044-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2044-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2045-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2045-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2046-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2046-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2047-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2047-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2048-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2048-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2049-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2049-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2050-03-27 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2050-10-30 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2051-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2051-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2052-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2052-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2053-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2053-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2054-03-29 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2054-10-25 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2055-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2055-10-31 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2056-03-26 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2056-10-29 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2057-03-25 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2057-10-28 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2058-03-31 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2058-10-27 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2059-03-30 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2059-10-26 01:00:00+00', 3600);
INSERT INTO public.time_zones VALUES ('europe/rome', '2060-03-28 01:00:00+00', 7200);
INSERT INTO public.time_zones VALUES ('europe/rome', '2060-10-31 01:00:00+00', 3600);
INSERT INTO public.users VALUES ('https://api.example.test/users/1', 'Sample Host', 'host@example.test', NULL, 'UTC', NULL, NULL, '2026-11-17 12:00:00+00', '00000000000000000020261117120000000000000000000000000000000383c8106f2975bb1', '{"slug": "", "created_at": "", "updated_at": ""}', NULL);
INSERT INTO public.webhook_subscriptions VALUES ('sample of webhook_subscriptions', 'sample of webhook_subscriptions', 'sample of webhook_subscriptions', 'sample of webhook_subscriptions', 'sample of webhook_subscriptions', 'sample of webhook_subscriptions', 'sample of webhook_subscriptions', 'sample of webhook_subscriptions', '{}', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00', '2026-11-17 12:00:00+00');
SELECT pg_catalog.setval('public.event_log_seq_seq', 17, true);
ALTER TABLE ONLY public.admin_actions
    ADD CONSTRAINT admin_actions_pk PRIMARY KEY (id);
ALTER TABLE ONLY public.alerts
    ADD CONSTRAINT alerts_pk PRIMARY KEY (id);
ALTER TABLE ONLY public.contact_emails
    ADD CONSTRAINT contact_emails_pk PRIMARY KEY (contact_uri, email);
ALTER TABLE ONLY public.contact_phone_numbers
    ADD CONSTRAINT contact_phone_numbers_pk PRIMARY KEY (contact_uri, phone_number);
ALTER TABLE ONLY public.contact_search
    ADD CONSTRAINT contact_search_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.contacts_wide_columns
    ADD CONSTRAINT contacts_wide_columns_pk PRIMARY KEY (field_uri);
ALTER TABLE ONLY public.custom_field_definitions
    ADD CONSTRAINT custom_field_definitions_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_delivery_id_key UNIQUE (delivery_id);
ALTER TABLE ONLY public.event_log
    ADD CONSTRAINT event_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.event_types
    ADD CONSTRAINT event_types_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.feed_consumers
    ADD CONSTRAINT feed_consumers_pk PRIMARY KEY (name);
ALTER TABLE ONLY public.invitees
    ADD CONSTRAINT invitees_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.key_values
    ADD CONSTRAINT key_values_pk PRIMARY KEY (key);
ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.meeting_recaps
    ADD CONSTRAINT meeting_recaps_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.no_shows
    ADD CONSTRAINT no_shows_pk PRIMARY KEY (invitee_uri, marked_at, no_show_uri);
ALTER TABLE ONLY public.organization_memberships
    ADD CONSTRAINT organization_memberships_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.processes
    ADD CONSTRAINT processes_pk PRIMARY KEY (id);
ALTER TABLE ONLY public.routing_form_submissions
    ADD CONSTRAINT routing_form_submissions_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.routing_forms
    ADD CONSTRAINT routing_forms_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.scheduled_events
    ADD CONSTRAINT scheduled_events_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.sync_checkpoints
    ADD CONSTRAINT sync_checkpoints_pk PRIMARY KEY (key);
ALTER TABLE ONLY public.time_zones
    ADD CONSTRAINT time_zones_pk PRIMARY KEY (name, starts_at);
ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pk PRIMARY KEY (uri);
ALTER TABLE ONLY public.webhook_subscriptions
    ADD CONSTRAINT webhook_subscriptions_pk PRIMARY KEY (uri);
CREATE INDEX admin_actions_at ON public.admin_actions USING btree (at);
CREATE INDEX alerts_claimed ON public.alerts USING btree (next_at) WHERE (claimed_at IS NOT NULL);
CREATE INDEX alerts_rule_occurred_at ON public.alerts USING btree (rule, occurred_at);
CREATE INDEX alerts_subject_uri ON public.alerts USING hash (subject_uri);
CREATE INDEX alerts_waiting ON public.alerts USING btree (next_at) WHERE (state = 'pending'::text);
CREATE INDEX contact_emails_email ON public.contact_emails USING hash (email);
CREATE INDEX contact_emails_other_address ON public.contact_emails USING hash (lower((email COLLATE "C"))) WHERE (email <> lower((email COLLATE "C")));
CREATE INDEX contact_phone_numbers_phone_number ON public.contact_phone_numbers USING hash (phone_number);
CREATE INDEX contact_search_country ON public.contact_search USING btree ("left"(country, 100));
CREATE INDEX contact_search_created_at ON public.contact_search USING btree (created_at, uri COLLATE "C");
CREATE INDEX contact_search_state ON public.contact_search USING btree ("left"(state, 100));
CREATE INDEX contact_search_timezone ON public.contact_search USING btree ("left"(timezone, 100));
CREATE INDEX contact_search_trigrams ON public.contact_search USING gin (translate(name, 'Kİ'::text, 'ki'::text) public.gin_trgm_ops, translate(job_title, 'Kİ'::text, 'ki'::text) public.gin_trgm_ops, translate(company, 'Kİ'::text, 'ki'::text) public.gin_trgm_ops, translate(city, 'Kİ'::text, 'ki'::text) public.gin_trgm_ops);
CREATE INDEX contact_search_updated_at ON public.contact_search USING btree (updated_at, uri COLLATE "C");
CREATE INDEX event_log_event_seq ON public.event_log USING btree (event, seq);
CREATE INDEX event_log_outcome_seq ON public.event_log USING btree (outcome, seq, dismissed_at) WHERE (outcome = ANY (ARRAY['quarantined'::text, 'unhandled'::text]));
CREATE INDEX event_log_received_at ON public.event_log USING btree (received_at, event, outcome, source, seq);
CREATE INDEX event_log_subject_uri ON public.event_log USING hash (subject_uri) WHERE (subject_uri IS NOT NULL);
CREATE INDEX invitees_created_at ON public.invitees USING btree (created_at);
CREATE INDEX invitees_email ON public.invitees USING hash (email);
CREATE INDEX invitees_event_uri ON public.invitees USING hash (event_uri);
CREATE INDEX invitees_marked_address ON public.invitees USING hash (lower((email COLLATE "C"))) WHERE (no_show_uri IS NOT NULL);
CREATE INDEX invitees_new_invitee ON public.invitees USING hash (new_invitee) WHERE (new_invitee IS NOT NULL);
CREATE INDEX invitees_old_invitee ON public.invitees USING hash (old_invitee) WHERE (old_invitee IS NOT NULL);
CREATE INDEX invitees_other_address ON public.invitees USING hash (lower((email COLLATE "C"))) WHERE (email <> lower((email COLLATE "C")));
CREATE INDEX invitees_routing_form_submission ON public.invitees USING hash (routing_form_submission) WHERE (routing_form_submission IS NOT NULL);
CREATE INDEX invitees_uri_end ON public.invitees USING btree ("right"(uri, 12));
CREATE INDEX meeting_recaps_created_at ON public.meeting_recaps USING btree (created_at);
CREATE INDEX meeting_recaps_event_uri ON public.meeting_recaps USING hash (event_uri);
CREATE INDEX meeting_recaps_transcript_pending ON public.meeting_recaps USING btree (event_start_time) WHERE ((transcript IS NOT NULL) AND (speakers IS NULL) AND (deleted_at IS NULL));
CREATE INDEX no_shows_marked_at ON public.no_shows USING btree (marked_at);
CREATE INDEX routing_form_submissions_created_at ON public.routing_form_submissions USING btree (created_at);
CREATE INDEX scheduled_events_link_pending ON public.scheduled_events USING btree (end_time) WHERE ((location ->> 'status'::text) = ANY (ARRAY['initiated'::text, 'processing'::text]));
CREATE INDEX scheduled_events_start_time ON public.scheduled_events USING btree (start_time);
