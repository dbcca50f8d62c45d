// The alerts that must exist in the end, computed from all facts at once: rows from the fold oracle, and a second implementation of the rules
// in alert-rules.json.
import type { Fact } from '../harness/data/delivery-histories.ts';
import type { StoredRow } from '#src/store/rows.ts';
import type { Record_ } from '../harness/data/normal-facts.ts';
import { expectedRows } from './fold.ts';
import { attendedBy, contactOf, isSameAddress, journeysOf, lowered } from './journeys.ts';

export interface Standpoint {
  readonly nowMs: number;
  readonly maxAgeMs: number;
  readonly eraseOnDelete: boolean;
  /** By the name of the rule. */
  readonly firstLoaded: ReadonlyMap<string, string>;
}

type Found = readonly [rule: string, fact: string, at: string];
const dayMs = 86_400_000;

/** One line per alert: `rule subject fact`. */
export function expectedAlerts(facts: readonly Fact[], standpoint: Standpoint): string[] {
  const { nowMs, maxAgeMs, eraseOnDelete, firstLoaded } = standpoint;
  const rows = expectedRows(facts, eraseOnDelete) as Record<string, Record_[]>;
  const all = rows['invitees'] ?? [];
  const journeys = journeysOf(rows, new Date(nowMs).toISOString());
  const missed = new Set(journeys.flatMap(({ outcome, last }) => (outcome === 'no_show' ? last : [])));
  const lasts = new Set(journeys.map(({ last }) => last));
  const isNoShow = (invitee: Record_): boolean => invitee['no_show_uri'] !== null && missed.has(invitee);
  const noShows = all.filter(isNoShow);
  const isReported = ([rule, , at]: Found): boolean =>
    nowMs - ms(at) <= maxAgeMs && at >= (firstLoaded.get(rule) ?? '');
  const aboutBookings = all.flatMap((invitee) => {
    const event = rows['scheduled_events']?.find(({ uri }) => uri === invitee['event_uri']);
    const contact = knownContact(rows, invitee);
    const found: Found[] = [];
    if (isNoShow(invitee)) found.push(...noShowAlerts({ invitee, event, contact }, noShows));
    if (lasts.has(invitee)) found.push(...suspectedAlerts(rows, { invitee, event }));
    const booking = journeys.find(({ last }) => last === invitee);
    const at = booking?.outcome?.includes('cancel') ? booking.canceledAt : null;
    const cancel = typeof at === 'string' ? at : null;
    if (cancel !== null && booking?.canceler === 'invitee' && booking.noticeSeconds !== null)
      if (booking.noticeSeconds < 30 * 3_600) found.push(['late', `canceled ${cancel}`, cancel]);
    if (String(contact?.row['company'] ?? '').toLowerCase() === 'acme') {
      const booked = invitee['status'] === 'canceled' ? null : invitee['created_at'];
      if (isNoShow(invitee)) found.push(['acme', String(invitee['no_show_uri']), String(invitee['no_show_at'])]);
      if (cancel !== null) found.push(['acme', `canceled ${cancel}`, cancel]);
      if (typeof booked === 'string') found.push(['acme', `booked ${String(invitee['uri'])}`, booked]);
    }
    return found.filter(isReported).map(([rule, fact]) => `${rule} ${String(invitee['uri'])} ${fact}`);
  });
  const aboutForms = (rows['routing_form_submissions'] ?? []).flatMap((submission) =>
    unbookedAlerts(submission, rows)
      .filter((found) => ms(found[2]) <= nowMs && isReported(found))
      .map(([rule, fact]) => `${rule} ${String(submission['uri'])} ${fact}`),
  );
  return [...aboutBookings, ...aboutForms].toSorted();
}

function unbookedAlerts(submission: Record_, rows: Record<string, Record_[]>): Found[] {
  const isBooked = (rows['invitees'] ?? []).some(({ routing_form_submission: uri }) => uri === submission['uri']);
  if (isBooked || submission['result_type'] !== 'event_type') return [];
  const endMs = (hours: number) => ms(submission['created_at']) + hours * 3_600_000;
  const found: Found[] = [];
  const address = emailIn(submission['questions_and_answers']);
  const report = (rule: string, hours: number): void => {
    const isSame = (one: Record_) =>
      isSameAddress(one['email'], address) &&
      ms(one['created_at']) >= ms(submission['created_at']) &&
      ms(one['created_at']) <= endMs(hours);
    if ((rows['invitees'] ?? []).some(isSame)) return;
    found.push([rule, 'unbooked', new Date(endMs(hours)).toISOString().replace('Z', '000Z')]);
  };
  report('unbooked', 2);
  report('unbooked_slow', 30);
  const form = (rows['routing_forms'] ?? []).find(({ uri }) => uri === submission['routing_form']);
  const isSales = JSON.stringify(submission['questions_and_answers'] ?? '')
    .toLowerCase()
    .includes('"sales"');
  if (form?.['name'] === 'Contact' && isSales && submission['utm_source'] === 'mail') report('unbooked_sales', 0.25);
  return found;
}

const emailIn = (answers: unknown): string | undefined =>
  (Array.isArray(answers) ? answers : []).map(({ answer }) => String(answer)).find((answer) => answer.includes('@'));

interface Known {
  readonly invitee: Record_;
  readonly event: Record_ | undefined;
  readonly contact: { readonly tiers: readonly unknown[] } | undefined;
}

/** A recap shows only hosts, and the booking was neither canceled nor moved nor marked. */
function suspectedAlerts(rows: Record<string, Record_[]>, { invitee, event }: Omit<Known, 'contact'>): Found[] {
  const isOver = [invitee, event].some((row) => row?.['status'] === 'canceled') || isRescheduled(invitee);
  const { attendance, attendance_basis: basis } = attendedBy(rows, invitee as StoredRow);
  if (isOver || attendance !== 'suspected_no_show') return [];
  const recap = rows['meeting_recaps']?.find(({ uri }) => uri === basis);
  const at = recap?.['created_at'] ?? event?.['end_time'] ?? null;
  if (at === null) return [];
  const found: Found[] = [['alone', 'suspected_no_show', String(at)]];
  if (isTalkAtExample(invitee, event)) found.push(['alone_talk', 'suspected_no_show', String(at)]);
  return found;
}

function noShowAlerts({ invitee, event, contact }: Known, noShows: readonly Record_[]): Found[] {
  const [fact, at] = [String(invitee['no_show_uri']), String(invitee['no_show_at'])];
  const found: Found[] = [['missed', fact, at]];
  if (isTalkAtExample(invitee, event) && invitee['utm_source'] === 'mail') found.push(['missed_talk', fact, at]);
  if (contact?.tiers.includes('gold')) found.push(['missed_gold', fact, at]);
  if (contact?.tiers.includes('u-gold')) found.push(['missed_uuid', fact, at]);
  const own = noShows.filter((other) => other === invitee || isSameAddress(other['email'], invitee['email']));
  const before = own.filter(({ no_show_at: other }) => String(other) <= at && ms(at) - ms(other as string) < 2 * dayMs);
  if (before.length >= 2) found.push(['again', fact, at]);
  return found;
}

const isTalkAtExample = (invitee: Record_, event: Record_ | undefined): boolean =>
  lowered(String(event?.['name'])) === 'talk' && lowered(String(invitee['email'])).split('@')[1] === 'example.test';

const ms = (text: unknown): number => Date.parse(String(text));

const isRescheduled = (invitee: Record_): boolean => invitee['rescheduled'] === true || invitee['new_invitee'] !== null;

function knownContact(rows: Record<string, Record_[]>, { email }: Record_) {
  const uri = contactOf(rows, email);
  const row = (rows['contacts'] ?? []).find((each) => each['uri'] === uri);
  if (row === undefined) return undefined;
  const field = (rows['contact_custom_fields'] ?? []).find(({ contact_uri }) => contact_uri === row['uri']);
  const definition = rows['custom_field_definitions']?.[0];
  // The only field there is; without a known label of its own it has the one that came with the contact.
  if (field === undefined || (definition?.['label'] ?? field['label']) !== 'Tier') return { row, tiers: [] };
  const options = (definition?.['options'] ?? []) as unknown as readonly { uuid: string; label: string }[];
  const labels = options.flatMap(({ uuid, label }) => (uuid === field['value'] ? [label.toLowerCase()] : []));
  return { row, tiers: [field['value'], ...labels] };
}

/** A message that arrived. */
export interface Received {
  readonly id: string;
  readonly kind: string;
  /** The id of the alert that a retraction takes back. */
  readonly follows?: string | undefined;
}

/** The ids of the alerts that stand for a recipient that ends each one when a retraction names it, such as an incident service. */
export function standing(received: readonly Received[]): string[] {
  const ended = new Set(received.map(({ follows }) => follows));
  const alerts = received.filter(({ id, kind }) => kind === 'alert' && !ended.has(id));
  return [...new Set(alerts.map(({ id }) => id))].toSorted();
}

/** What the recipient believes, who drops a repeated key. */
export function believed(received: readonly Received[]): string[] {
  const last = new Map<string, string>();
  const keys = new Set<string>();
  for (const { id, kind } of received) {
    if (keys.has(id)) continue;
    keys.add(id);
    last.set(id.slice(0, 32), kind);
  }
  return [...last].flatMap(([id, kind]) => (kind === 'alert' ? [id] : [])).toSorted();
}
