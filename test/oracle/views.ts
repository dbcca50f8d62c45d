// Every view computed the plain way from the rows of the tables.
import type { Json } from '#src/store/columns.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Contents } from '../harness/stores.ts';
import { localParts } from './local-time.ts';
import { momentsOf } from './moments.ts';
import { peopleOf, unbookedOf } from './people.ts';
import {
  byUri,
  contactOf,
  journeysOf,
  listOf,
  orNull,
  secondsBetween,
  tags,
  textIn,
  type Journey,
} from './journeys.ts';

const canceled = ['canceled_by_host', 'canceled_by_invitee', 'late_cancellation', 'canceled'];
const months = 'January February March April May June July August September October November December'.split(' ');
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const dayIn = (time: Json | undefined, zone: string): string | null => localParts(time, zone).day;

/** The greatest by bytes, as the stores have it. */
const greatest = (values: readonly Json[]): string | null =>
  values
    .filter((value) => typeof value === 'string')
    .toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)))[0] ?? null;

export function viewsOf(contents: Contents, now: string, zone = 'UTC'): Record<string, StoredRow[]> {
  const journeys = journeysOf(contents, now);
  const types = byUri(contents.event_types);
  const nameOf = (event: StoredRow | undefined): Json =>
    orNull(types.get(String(event?.['event_type']))?.['name'] ?? event?.['name']);
  return {
    bookings: journeys.map((journey) => journeyRow(contents, journey, { nameOf, zone })),
    booking_moments: momentsOf(contents, journeys),
    bookings_daily: daily(contents, journeys, { nameOf, zone }),
    no_show_rate: rates(contents, journeys, { nameOf, zone }),
    routing_form_results: results(contents, journeys),
    routing_funnel: funnel(contents, journeys),
    unbooked_submissions: unbookedOf(contents),
    payments: payments(contents, journeys, { nameOf, zone }),
    revenue: revenue(contents, journeys, { nameOf, zone }),
    people: peopleOf(contents, now),
    scheduled_event_hosts: people(contents, 'hosts').map(({ event_uri, position, item }) => {
      const user = byUri(contents.users).get(String(textIn(item, 'user')));
      return {
        event_uri,
        position,
        user_uri: textIn(item, 'user'),
        name: orNull(user?.['name'] ?? textIn(item, 'user_name')),
        email: orNull(user?.['email'] ?? textIn(item, 'user_email')),
      };
    }),
    scheduled_event_guests: people(contents, 'guests').map(({ event_uri, position, item }) => ({
      event_uri,
      position,
      email: textIn(item, 'email'),
    })),
  };
}

function people({ scheduled_events = [] }: Contents, column: 'hosts' | 'guests') {
  return scheduled_events.flatMap((event) =>
    listOf(event[column]).map((item, index) => ({ event_uri: orNull(event['uri']), position: index + 1, item })),
  );
}

type NameOf = (event: StoredRow | undefined) => Json;
/** `zone` is that of reports. */
type Options = { readonly nameOf: NameOf; readonly zone: string };

function journeyRow(contents: Contents, journey: Journey, { nameOf, zone }: Options): StoredRow {
  const { root, first, last, firstEvent, lastEvent } = journey;
  const [host] = listOf(lastEvent?.['hosts']);
  const paid = last['payment'] === null ? first : last;
  const user = byUri(contents.users).get(String(textIn(host, 'user')));
  const hostStart = localParts(lastEvent?.['start_time'], user?.['timezone']);
  const inviteeStart = localParts(lastEvent?.['start_time'], last['timezone']);
  const start = localParts(lastEvent?.['start_time'], zone);
  return {
    uri: root,
    first_invitee: orNull(first['uri']),
    last_invitee: orNull(last['uri']),
    invitees: journey.members.length,
    moves: journey.moves,
    event_type: orNull(lastEvent?.['event_type']),
    event_type_name: nameOf(lastEvent),
    host: textIn(listOf(lastEvent?.['hosts'])[0], 'user'),
    invitee_email: orNull(last['email']),
    invitee_name: orNull(last['name']),
    ...Object.fromEntries(tags.map((tag) => [tag, orNull(first[tag])])),
    booked_at: orNull(first['created_at']),
    first_start_time: orNull(firstEvent?.['start_time']),
    start_time: orNull(lastEvent?.['start_time']),
    end_time: orNull(lastEvent?.['end_time']),
    lead_time_seconds: secondsBetween(first['created_at'], lastEvent?.['start_time']),
    outcome: journey.outcome,
    canceled_at: journey.canceledAt,
    canceler_type: journey.canceler,
    cancel_notice_seconds: journey.noticeSeconds,
    no_show_at: orNull(last['no_show_at']),
    event_uri: orNull(last['event_uri']),
    contact_uri: contactOf(contents, last['email']),
    host_name: orNull(user?.['name'] ?? textIn(host, 'user_name')),
    duration_seconds: secondsBetween(lastEvent?.['start_time'], lastEvent?.['end_time']),
    invitee_timezone: orNull(last['timezone']),
    cancel_reason: orNull(last['cancel_reason'] ?? textIn(lastEvent?.['cancellation'], 'reason')),
    scheduling_method: orNull(last['scheduling_method']),
    routing_form_submission: orNull(first['routing_form_submission'] ?? last['routing_form_submission']),
    location_kind: textIn(lastEvent?.['location'], 'type'),
    payment_provider: orNull(paid['payment_provider']),
    payment_external_id: orNull(paid['payment_external_id']),
    payment_amount: orNull(paid['payment_amount']),
    payment_currency: orNull(paid['payment_currency']),
    payment_successful: orNull(paid['payment_successful']),
    attendance: journey.attendance,
    attendance_basis: journey.attendance_basis,
    host_timezone: orNull(user?.['timezone']),
    start_day_host: hostStart.day,
    start_weekday_host: hostStart.weekday,
    start_hour_host: hostStart.hour === null ? null : Number(hostStart.hour),
    start_day_invitee: inviteeStart.day,
    start_weekday_invitee: inviteeStart.weekday,
    start_hour_invitee: inviteeStart.hour === null ? null : Number(inviteeStart.hour),
    made_at: orNull(last['created_at']),
    ended_at: journey.ended_at,
    first_event_type: orNull(firstEvent?.['event_type']),
    hosts: orNull(lastEvent?.['hosts']),
    start_day: start.day,
    start_weekday: start.weekday,
    start_hour: start.hour === null ? null : Number(start.hour),
  };
}

function daily({ scheduled_events }: Contents, journeys: readonly Journey[], { nameOf, zone }: Options): StoredRow[] {
  const events = byUri(scheduled_events);
  const happened: { what: string; at: Json | undefined; event: StoredRow | undefined }[] = [];
  for (const { members, first, firstEvent, lastEvent, outcome, canceledAt, ended_at } of journeys) {
    happened.push({ what: 'booked', at: first['created_at'], event: firstEvent });
    for (const moved of members.slice(1))
      happened.push({ what: 'moved', at: moved['created_at'], event: events.get(String(moved['event_uri'])) });
    if (outcome === 'moved') happened.push({ what: 'moved', at: canceledAt, event: lastEvent });
    if (canceled.includes(String(outcome))) happened.push({ what: 'canceled', at: canceledAt, event: lastEvent });
    if (ended_at !== null) happened.push({ what: String(outcome), at: lastEvent?.['start_time'], event: lastEvent });
  }
  const dated = happened.filter(({ at }) => dayIn(at, zone) !== null);
  return grouped(dated, ({ at, event }) => [dayIn(at, zone), event?.['event_type'] ?? '']).map(
    ([[day, event_type], group]) => {
      const count = (wanted: string) => group.filter(({ what }) => what === wanted).length;
      return {
        day: orNull(day),
        event_type: orNull(event_type),
        event_type_name: greatest(group.map(({ event }) => nameOf(event))),
        booked: count('booked'),
        moved: count('moved'),
        canceled: count('canceled'),
        ended: count('came') + count('no_show') + count('unknown'),
        no_shows: count('no_show'),
      };
    },
  );
}

type Part = readonly [dimension: string, value: Json, label: Json, month?: string];
type LocalParts = ReturnType<typeof localParts>;

const weekdayPart = (dimension: string, { weekday }: LocalParts): Part => [
  dimension,
  weekday && String(weekday),
  weekday && orNull(weekdays[weekday % 7]),
];
const hourPart = (dimension: string, { hour }: LocalParts): Part => [dimension, hour, hour && `${hour}:00`];

function rates(contents: Contents, journeys: readonly Journey[], { nameOf, zone }: Options): StoredRow[] {
  const people = byUri(contents.users);
  const seen = journeys
    .filter(({ ended_at }) => ended_at !== null)
    .flatMap(({ first, last, lastEvent, outcome }) => {
      const hosting = listOf(lastEvent?.['hosts']);
      const localIn = (timezone: Json | undefined) => localParts(lastEvent?.['start_time'], timezone);
      const local = localIn(zone);
      const hosted = localIn(people.get(String(textIn(hosting[0] ?? null, 'user')))?.['timezone']);
      const month = local.day?.slice(0, 7) ?? '';
      const monthName = month && `${months[Number(month.slice(5)) - 1]} ${month.slice(0, 4)}`;
      const [, number, name] = weekdayPart('weekday', local);
      const hosts = Map.groupBy(
        hosting.filter((host) => textIn(host, 'user') !== null),
        (host) => textIn(host, 'user'),
      );
      const named: Part[] = [
        ['event_type', orNull(lastEvent?.['event_type']), nameOf(lastEvent)],
        ...[...hosts].map(([uri, entries]): Part => {
          const names = entries.map((host) => textIn(host, 'user_name'));
          return ['host', uri, people.get(String(uri))?.['name'] ?? greatest(names)];
        }),
        ...(hosts.size > 0 ? [] : [['host', '', ''] as Part]),
      ];
      const parts: Part[] = [
        ...named,
        ...named.map(([dimension, value, label]): Part => [`${dimension}_month`, value, label, month]),
        ['month', month, monthName, month],
        weekdayPart('weekday', local),
        weekdayPart('weekday_host', hosted),
        hourPart('hour', local),
        hourPart('hour_host', hosted),
        hourPart('hour_invitee', localIn(last['timezone'])),
        ['weekday_hour', number && `${String(number)}-${local.hour}`, name && `${String(name)} ${local.hour}:00`],
        ...tags.map((tag): Part => [tag, orNull(first[tag]), orNull(first[tag])]),
      ];
      return parts.map(([dimension, value, label, ofMonth = '']) => {
        return { dimension, value: value ?? '', label, month: ofMonth, outcome };
      });
    });
  return grouped(seen, ({ dimension, value, month }) => [dimension, value, month]).map(
    ([[dimension, value, month], group]) => {
      const no_shows = group.filter(({ outcome }) => outcome === 'no_show').length;
      const unknown = group.filter(({ outcome }) => outcome === 'unknown').length;
      return {
        dimension: orNull(dimension),
        value: orNull(value),
        label: greatest(group.map(({ label }) => label)) ?? '',
        ended: group.length,
        came: group.length - no_shows - unknown,
        no_shows,
        unknown,
        rate: no_shows / group.length,
        month: orNull(month),
        rate_low: no_shows / group.length,
        rate_high: (no_shows + unknown) / group.length,
      };
    },
  );
}

/** The best of the bookings of a submission counts. */
const best = ['came', 'unknown', 'no_show', 'upcoming'];

function results(
  { routing_form_submissions = [], invitees = [] }: Contents,
  journeys: readonly Journey[],
): StoredRow[] {
  return routing_form_submissions.map((submission) => {
    const isOf = (invitee: StoredRow) => invitee['routing_form_submission'] === submission['uri'];
    const led = journeys.filter(({ members }) => members.some(isOf));
    const isBooked = invitees.some(isOf);
    const areCanceled = led.length > 0 && led.every(({ outcome }) => canceled.includes(String(outcome)));
    const known = best.find((word) => led.some(({ outcome }) => outcome === word));
    const newest = led.toSorted((a, b) => {
      const orderOf = ({ outcome, last }: Journey) =>
        `${outcome === 'moved' ? 0 : 1} ${last['created_at'] ?? ''} ${last['uri']}`;
      return orderOf(a) < orderOf(b) ? 1 : -1;
    });
    return {
      submission_uri: orNull(submission['uri']),
      created_at: orNull(submission['created_at']),
      routing_form: orNull(submission['routing_form']),
      result_type: orNull(submission['result_type']),
      ...Object.fromEntries(tags.map((tag) => [tag, orNull(submission[tag])])),
      is_booked: isBooked,
      is_unbooked: submission['result_type'] === 'event_type' && !isBooked,
      outcome: isBooked ? (known ?? (areCanceled ? 'canceled' : 'booked')) : null,
      invitee: orNull(newest[0]?.last['uri']),
    };
  });
}

function funnel(contents: Contents, journeys: readonly Journey[]): StoredRow[] {
  const forms = byUri(contents.routing_forms);
  const submissions = results(contents, journeys);
  return grouped(submissions, (submission) => [submission['routing_form'] ?? '']).map(([[form], group]) => {
    const to = (type: string) => group.filter((each) => each['result_type'] === type).length;
    const having = (...outcomes: readonly string[]) =>
      group.filter(({ outcome }) => outcomes.includes(String(outcome))).length;
    const booked = group.filter((each) => each['is_booked']).length;
    const ended = having('came', 'unknown', 'no_show');
    return {
      routing_form: orNull(form),
      routing_form_name: orNull(forms.get(String(form))?.['name']),
      submissions: group.length,
      to_event_type: to('event_type'),
      to_external_url: to('external_url'),
      to_custom_message: to('custom_message'),
      unbooked: group.filter((each) => each['is_unbooked']).length,
      booked,
      upcoming: having('upcoming'),
      ended,
      came: having('came'),
      no_shows: having('no_show'),
      unknown: having('unknown'),
      canceled: having('canceled'),
      booking_rate: booked / group.length,
      ended_rate: booked === 0 ? null : ended / booked,
    };
  });
}

/** Each once, by its provider and identifier, with the last invitee of a booking that carries it. */
function payments(
  { scheduled_events }: Contents,
  journeys: readonly Journey[],
  { nameOf, zone }: Options,
): StoredRow[] {
  const events = byUri(scheduled_events);
  const paid = journeys
    .flatMap(({ root, members }) => members.map((invitee) => ({ root, invitee })))
    .filter(({ invitee }) => invitee['payment_successful'] === true)
    .toSorted((a, b) => {
      const orderOf = ({ invitee }: typeof a) => `${invitee['created_at'] ?? ''} ${invitee['uri']}`;
      return orderOf(a) < orderOf(b) ? 1 : -1;
    });
  return grouped(paid, ({ root, invitee }) => [
    invitee['payment_provider'] ?? '',
    invitee['payment_external_id'] || '',
    invitee['payment_external_id'] ? '' : root,
  ])
    .flatMap(([, [last]]) => last ?? [])
    .filter(({ invitee }) => invitee['created_at'] !== null)
    .map(({ root, invitee }) => {
      const event = events.get(String(invitee['event_uri']));
      return {
        invitee: orNull(invitee['uri']),
        booking: root,
        created_at: orNull(invitee['created_at']),
        day: dayIn(invitee['created_at'], zone),
        provider: invitee['payment_provider'] ?? '',
        external_id: orNull(invitee['payment_external_id']),
        currency: invitee['payment_currency'] ?? '',
        amount: invitee['payment_amount'] ?? 0,
        event_type: orNull(event?.['event_type']),
        event_type_name: nameOf(event),
        hosts: orNull(event?.['hosts']),
      };
    });
}

function revenue(contents: Contents, journeys: readonly Journey[], options: Options): StoredRow[] {
  return grouped(payments(contents, journeys, options), ({ day, currency, provider, event_type }) => [
    day,
    currency,
    provider,
    event_type ?? '',
  ]).map(([[day, currency, provider, event_type], group]) => ({
    day: orNull(day),
    currency: orNull(currency),
    provider: orNull(provider),
    event_type: orNull(event_type),
    event_type_name: greatest(group.map((each) => orNull(each['event_type_name']))),
    payments: group.length,
    amount: Math.round(group.reduce((sum, { amount }) => sum + Number(amount), 0) * 1e4) / 1e4,
  }));
}

function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => readonly (Json | undefined)[]) {
  const groups = new Map<string, [readonly (Json | undefined)[], Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = groups.get(JSON.stringify(key));
    if (known) known[1].push(item);
    else groups.set(JSON.stringify(key), [key, [item]]);
  }
  return [...groups.values()];
}
