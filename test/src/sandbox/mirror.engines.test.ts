// The product against the sandbox, end to end: what the service knows and what the tables say are the same, field by field.
import { describe, expect, inject, it } from 'vitest';
import { contactRecord } from '#src/sandbox/world/contacts/contacts.ts';
import type { Fact } from '#src/sandbox/world/service.ts';
import { ask } from '../../oracle/deliveries.ts';
import { freePort, until } from '../../harness/ports.ts';
import { openHome } from '../../harness/product.ts';
import { startRedis } from '../../harness/redis.ts';
import { openTestSandbox, type TestSandbox } from '../../harness/sandbox.ts';

type Row = Record<string, unknown>;

/** The columns that carry a field of the record under its own name. */
const columns = {
  contacts: 'name timezone job_title company country state city linkedin first_email_date created_at updated_at',
  invitees:
    'email first_name last_name name status timezone text_reminder_number old_invitee new_invitee cancel_url reschedule_url routing_form_submission scheduling_method created_at updated_at',
  scheduled_events: 'name status start_time end_time event_type created_at updated_at',
  meeting_recaps: 'transcript summary_md action_items_md discussion_md share_link created_at updated_at',
  routing_form_submissions: 'routing_form created_at updated_at',
  event_types: 'name active slug duration kind pooling_type internal_note created_at updated_at',
} as const;

describe.runIf(inject('redisUrl'))('the mirror of the sandbox', () => {
  it('is the same, field by field, although deliveries come twice, late and in another order', async () => {
    const facts: Fact[] = [];
    await using sandbox = await openTestSandbox(
      { eventTypes: true, rateLimits: false },
      { onFact: (fact) => void (isToldTo(sandbox.handles.users.owner, fact) && facts.push(fact)) },
    );
    await using redis = await startRedis();
    const port = String(await freePort());
    await using home = await openHome({
      QUEUE_URL: redis.url,
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      API_BASE_URL: sandbox.handles.base_url,
      API_TOKEN: sandbox.handles.tokens.owner,
    });
    await home.open('start');
    expect((await home.run(['bootstrap'])).code).toBe(0);
    await sandbox.control('POST', '/faults', { duplicate: 0.2, shuffle: 0.3 });
    await takeTurns(sandbox, () => facts.length >= 600);
    await sandbox.dispatcher.settled();
    await until(
      async () =>
        (await ask(home.store, "select count(*) as n from event_log where source = 'webhook'"))[0]?.['n'] ===
        facts.length,
      'every fact is in the log once',
    );

    for (const [table, names] of Object.entries(columns)) {
      const sent = await subjectsIn(home.store, table);
      expect(sent.size, `${table} has rows`).toBeGreaterThan(0);
      const truth = recordsOf(sandbox, table as keyof typeof columns).filter(({ uri }) => sent.has(String(uri)));
      expect(truth.length).toBeGreaterThan(0);
      for (const record of truth)
        expect(pick(sent.get(String(record['uri'])) ?? {}, names)).toEqual(pick(record, names));
    }
    const deleted = [...sandbox.service.state.deletedContacts.keys()];
    const forgotten = await ask(home.store, 'select uri, name, deleted_at from contacts where deleted_at is not null');
    expect(forgotten.map(({ uri }) => uri).toSorted()).toEqual(deleted.toSorted());
    expect(forgotten.every(({ name }) => name === null)).toBe(true);
    expect(
      await ask(home.store, "select seq, reason from event_log where outcome in ('quarantined', 'unhandled')"),
    ).toEqual([]);
  });
});

/** Recaps are sent to their own user only, and only the owner subscribed. */
const isToldTo = (user: string, { event, users }: Fact): boolean =>
  !event.startsWith('meeting_recap.') || users.includes(user);

async function takeTurns(sandbox: TestSandbox, isEnough: () => boolean): Promise<void> {
  const enough = new AbortController();
  const watch = setInterval(() => isEnough() && enough.abort(), 10);
  await sandbox.live(400, enough.signal);
  clearInterval(watch);
}

async function subjectsIn(store: string, table: string): Promise<Map<string, Row>> {
  return new Map((await ask(store, `select * from ${table}`)).map((row) => [String(row['uri']), row]));
}

function recordsOf({ service }: TestSandbox, table: keyof typeof columns): readonly Row[] {
  const { state } = service;
  const shelves = {
    contacts: () =>
      [...state.contacts.values()].flatMap((book) => [...book.values()].map((entry) => contactRecord(service, entry))),
    invitees: () => [...state.invitees.values()],
    scheduled_events: () => [...state.scheduledEvents.values()],
    meeting_recaps: () => [...state.recaps.values()],
    routing_form_submissions: () => [...state.submissions.values()],
    event_types: () => [...state.eventTypes.values()],
  } satisfies Record<keyof typeof columns, () => readonly object[]>;
  return shelves[table]() as readonly Row[];
}

/** SQLite keeps flags as 0 and 1, and every time with six digits. */
function pick(record: Row, names: string): Row {
  const plain = (name: string, value: unknown): unknown =>
    name.endsWith('_date') && typeof value === 'string'
      ? Date.parse(value)
      : typeof value === 'boolean'
        ? Number(value)
        : value;
  return Object.fromEntries(['uri', ...names.split(' ')].map((name) => [name, plain(name, record[name])]));
}
