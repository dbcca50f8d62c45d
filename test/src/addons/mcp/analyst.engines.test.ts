// Twenty questions of an analyst are answered through the tools of MCP, and equal what a model computes from the bodies in the log.
import { describe, expect, it } from 'vitest';
import { dayMs, instantOf } from '#src/base/time.ts';
import { applySettings } from '#src/store/settings-row.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { analystWorld } from '../../../harness/data/analyst-world.ts';
import { openMcp } from '../../../harness/mirror/mcp.ts';
import { openedOnce } from '../../../harness/opened.ts';
import { availableEngines, ingest, type TestStore } from '../../../harness/stores.ts';
import { analystOf, countsOf, type Analyst } from '../../../oracle/analyst.ts';

const zone = 'America/New_York';
const nowMs = Date.now();
const ago = (days: number): string => instantOf(nowMs - days * dayMs);
/** A person of the world with two addresses. */
const ada = 'person4@example.test';

// oxlint-disable-next-line typescript/no-explicit-any -- rows are read as JSON
type Row = any;
type Rows = readonly Row[];

/** Asks until there is no further page. */
type Query = (table: string, question?: Readonly<Record<string, unknown>>) => Promise<Rows>;

interface AskedQuestion {
  /** Only where texts of others are shown. */
  readonly isRevealed?: true;
  answer(query: Query): Promise<unknown>;
  expected(model: Analyst): unknown;
}

/** By the values of these columns. */
const numbersBy = (rows: Rows, columns: readonly string[], number: string): Readonly<Record<string, number>> =>
  Object.fromEntries(rows.map((row) => [columns.map((column) => String(row[column] ?? null)).join(' '), row[number]]));

const rounded = (numbers: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(numbers).map(([key, number]) => [key, Math.round(number * 1_000)]));

function sumsBy(rows: Rows, keyOf: (row: Row) => string, column: string): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const row of rows) sums[keyOf(row)] = (sums[keyOf(row)] ?? 0) + row[column];
  return sums;
}

const monthAfter = (month: string): string =>
  instantOf(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)))).slice(0, 7);

const canceled = 'in.(canceled_by_invitee,late_cancellation,canceled_by_host,canceled)';

const questions: Readonly<Record<string, AskedQuestion>> = {
  'What was the no-show rate of each host in each month?': {
    answer: async (query) => {
      const filters = { dimension: 'eq.host_month' };
      const rows = await query('no_show_rate', { filters, select: 'dimension,value,month,rate' });
      return rounded(numbersBy(rows, ['value', 'month'], 'rate'));
    },
    expected: ({ rateByHostAndMonth }) => rounded(rateByHostAndMonth),
  },
  'Who moves meetings most often: the three people with the most moves, and how many?': {
    answer: async (query) => {
      const rows = await query('bookings', { filters: { moves: 'gt.0' }, select: 'invitee_email,moves' });
      const people = Object.entries(sumsBy(rows, (row) => row.invitee_email, 'moves')).toSorted(
        ([, a], [, b]) => b - a,
      );
      for (const [person] of people) expect(person).toMatch(/^person-[\da-f]{16}$/);
      return people.slice(0, 3).map(([, moves]) => moves);
    },
    expected: ({ mostMoves }) => mostMoves,
  },
  'How long before the start do people book, on average, by utm_source?': {
    isRevealed: true,
    answer: async (query) => {
      const rows = await query('bookings', { select: 'utm_source,avg(lead_time_seconds)' });
      return rounded(numbersBy(rows, ['utm_source'], 'avg_lead_time_seconds'));
    },
    expected: ({ leadBySource }) => rounded(leadBySource),
  },
  'How many bookings came without a routing form, by event type?': {
    answer: async (query) => {
      const filters = { routing_form_submission: 'is.null' };
      return numbersBy(await query('bookings', { filters, select: 'event_type,count()' }), ['event_type'], 'count');
    },
    expected: ({ withoutForm }) => withoutForm,
  },
  "At which hour of the day do most meetings start (report's time zone)?": {
    answer: async (query) => {
      const filters = { outcome: 'in.(upcoming,came,no_show,unknown)' };
      const rows = await query('bookings', { filters, select: 'start_hour,count()', order: 'count.desc' });
      return { most: rows[0].count, hours: numbersBy(rows, ['start_hour'], 'count') };
    },
    expected: ({ startHours }) => ({ most: Math.max(...Object.values(startHours)), hours: startHours }),
  },
  'When was the first meeting of the contact with the address ada@… (a given address)?': {
    answer: async (query) => {
      const [contact] = await query('contact_emails', { filters: { email: `eq.${ada}` }, select: 'contact_uri' });
      const filters = { contact_uri: `eq.${contact.contact_uri}` };
      const [first] = await query('bookings', { filters, select: 'min(start_time)' });
      return first.min_start_time;
    },
    expected: ({ firstMeetingOf }) => firstMeetingOf(ada),
  },
  'How many late cancellations had each host?': {
    answer: async (query) => {
      const filters = { outcome: 'eq.late_cancellation' };
      return numbersBy(await query('bookings', { filters, select: 'host,count()' }), ['host'], 'count');
    },
    expected: ({ lateByHost }) => lateByHost,
  },
  'Who cancels, host or invitee, by event type, and how many of each?': {
    answer: async (query) => {
      const rows = await query('bookings', {
        filters: { outcome: canceled },
        select: 'event_type,canceler_type,count()',
      });
      return numbersBy(rows, ['event_type', 'canceler_type'], 'count');
    },
    expected: ({ whoCancels }) => whoCancels,
  },
  'How much was paid per currency and month?': {
    answer: async (query) => {
      const rows = await query('payments', { select: 'currency,day,sum(amount)' });
      return sumsBy(rows, ({ currency, day }) => `${currency} ${day.slice(0, 7)}`, 'sum_amount');
    },
    expected: ({ paymentsByMonth }) => paymentsByMonth,
  },
  'Which routing form has the most submissions that led to no booking?': {
    answer: async (query) => {
      const question = { filters: { is_booked: 'is.false' }, select: 'routing_form,count()', order: 'count.desc' };
      const rows = await query('routing_form_results', question);
      return { form: rows[0].routing_form, all: numbersBy(rows, ['routing_form'], 'count') };
    },
    expected: ({ unbookedByForm }) => ({
      form: Object.entries(unbookedByForm).toSorted(([, a], [, b]) => b - a)[0]?.[0],
      all: unbookedByForm,
    }),
  },
  'How many people booked more than once?': {
    answer: async (query) => (await query('people', { filters: { bookings: 'gt.1' }, select: 'count()' }))[0].count,
    expected: ({ bookedTwice }) => bookedTwice,
  },
  'On which weekday are most no-shows?': {
    answer: async (query) => {
      const question = { filters: { outcome: 'eq.no_show' }, select: 'start_weekday,count()' };
      return numbersBy(await query('bookings', question), ['start_weekday'], 'count');
    },
    expected: ({ noShowWeekdays }) => noShowWeekdays,
  },
  'Which utm_campaign brought the most meetings to which the invitee came?': {
    isRevealed: true,
    answer: async (query) => {
      const question = { filters: { outcome: 'eq.came' }, select: 'utm_campaign,count()', order: 'count.desc' };
      return numbersBy(await query('bookings', question), ['utm_campaign'], 'count');
    },
    expected: ({ cameByCampaign }) => cameByCampaign,
  },
  'How many meetings has each host in the coming seven days?': {
    answer: async (query) => {
      const filters = { outcome: 'eq.upcoming', start_time: `lte.${ago(-7)}` };
      const meetings = (await query('bookings', { filters, select: 'event_uri,count()' })).map((row) => row.event_uri);
      const hosts = { filters: { event_uri: `in.(${meetings.join()})` }, select: 'user_uri,count()' };
      return numbersBy(await query('scheduled_event_hosts', hosts), ['user_uri'], 'count');
    },
    expected: ({ soonByHost }) => soonByHost,
  },
  'Which event types had no booking in the last 30 days?': {
    answer: async (query) => {
      const types = await query('event_types', { filters: { deleted_at: 'is.null' }, select: 'uri,name' });
      const filters = { booked_at: `gte.${ago(30)}` };
      const booked = (await query('bookings', { filters, select: 'event_type,count()' })).map((row) => row.event_type);
      return types
        .filter(({ uri }) => !booked.includes(uri))
        .map(({ name }) => name)
        .toSorted();
    },
    expected: ({ idleTypes }) => idleTypes,
  },
  'How many deliveries were quarantined in the last day, by reason?': {
    answer: async (query) => {
      const filters = { outcome: 'eq.quarantined', received_at: `gte.${ago(1)}` };
      const rows = await query('event_log', { filters, select: 'reason,count()' });
      return sumsBy(rows, ({ reason }) => /JSON|uri/.exec(reason)?.[0] ?? reason, 'count');
    },
    expected: ({ quarantined }) => quarantined,
  },
  'How many contacts were created in each month?': {
    answer: async (query) => {
      const [ends] = await query('contacts', { select: 'min(created_at),max(created_at)' });
      const counts: Record<string, number> = {};
      const last = ends.max_created_at.slice(0, 7);
      for (let month = ends.min_created_at.slice(0, 7); month <= last; month = monthAfter(month)) {
        const created = [`gte.${month}-01`, `lt.${monthAfter(month)}-01`];
        const filters = { deleted_at: 'is.null', created_at: created };
        counts[month] = (await query('contacts', { filters, select: 'count()' }))[0].count;
      }
      return counts;
    },
    expected: ({ contactsByMonth }) => contactsByMonth,
  },
  'How many meetings have more than one guest or invitee (group meetings), and how many invitees had the largest?': {
    answer: async (query) => {
      const active = { filters: { status: 'eq.active' }, select: 'event_uri,count()', order: 'count.desc' };
      const invitees = await query('invitees', active);
      const guests = await query('scheduled_event_guests', { select: 'event_uri,count()' });
      const parties = sumsBy([...invitees, ...guests], (row) => row.event_uri, 'count');
      return { count: Object.values(parties).filter((all) => all > 1).length, largest: invitees[0].count };
    },
    expected: ({ groups }) => groups,
  },
  'What is the average time between booking and cancellation of canceled bookings?': {
    answer: async (query) => {
      const rows = await query('bookings', { filters: { outcome: canceled }, select: 'booked_at,canceled_at' });
      const times = rows.map((row) => (Date.parse(row.canceled_at) - Date.parse(row.booked_at)) / 1_000);
      return times.reduce((sum, each) => sum + each, 0) / times.length;
    },
    expected: ({ secondsToCancellation }) => secondsToCancellation,
  },
  'Which no-show marks were removed again, and how many are there?': {
    answer: async (query) => {
      const rows = await query('no_shows', { filters: { unmarked_at: 'not.is.null' }, select: 'no_show_uri' });
      return rows.map((row) => row.no_show_uri).toSorted();
    },
    expected: ({ removedMarks }) => removedMarks,
  },
};

/** Nothing is known by it, or by a part of it. */
const isEmpty = (expected: unknown): boolean =>
  typeof expected === 'object' && expected !== null
    ? Object.values(expected).length === 0 || Object.values(expected).every(isEmpty)
    : !expected;

describe.each(availableEngines)('the questions of an analyst on $name', ({ fresh }) => {
  const filled = async (): Promise<TestStore> => {
    const opened = await fresh({ reportTimezone: zone });
    await applySettings(opened.store, { reportTimezone: zone }, instantOf(nowMs));
    const screen = privacyScreen({ eraseOnDelete: false });
    const deliveries = analystWorld(nowMs);
    await ingest({ store: opened.store, screen }, { v: 1, deliveries }, instantOf(nowMs));
    return opened;
  };
  const masked = openedOnce(() => openMcp({ fresh: filled }));
  const revealed = openedOnce(() => openMcp({ fresh: filled }, { isRevealed: true }));

  const model = async (): Promise<Analyst> => {
    const entries = await masked.store.db.selectFrom('event_log').select(['body', 'received_at']).execute();
    const log = entries.map(({ body, received_at: receivedAt }) => ({ body: String(body), receivedAt }));
    return analystOf(log, { nowMs, zone });
  };
  const askedOf =
    (mcp: typeof masked): Query =>
    async (table, question = {}) => {
      const found: Row[] = [];
      let cursor: string | undefined;
      do {
        const page = cursor === undefined ? {} : { cursor };
        const { isError, text, data } = await mcp.call('query_table', { table, ...question, ...page });
        if (isError) throw new Error(text);
        found.push(...data.answer.rows);
        cursor = data.next_cursor;
      } while (cursor !== undefined);
      return found;
    };

  it.each(Object.entries(questions))('%s', async (_question, { isRevealed, answer, expected }) => {
    const said = expected(await model());
    expect(isEmpty(said)).toBe(false);
    expect(await answer(askedOf(isRevealed ? revealed : masked))).toEqual(said);
    if (isRevealed) await expect(answer(askedOf(masked))).rejects.toThrow('masked, so it cannot be grouped by');
  });

  it('are about a world in which each outcome is met', async () => {
    const rows = await askedOf(masked)('bookings', { select: 'outcome,count()' });
    expect(Object.keys(countsOf(rows, (row) => row.outcome)).toSorted()).toEqual([
      'came',
      'canceled_by_host',
      'canceled_by_invitee',
      'late_cancellation',
      'no_show',
      'unknown',
      'upcoming',
    ]);
  });
});
