// The filter of deliveries as a form, as words, and as the body of a replay.
import { shellQuoted } from '#src/base/command.ts';
import { outcomes } from '#src/api/deliveries/delivery-records.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { Field } from '#src/addons/dashboard/components/form.ts';
import type { Markup } from '#src/addons/dashboard/components/markup.ts';
import { foreign } from '#src/addons/dashboard/components/markup.ts';

const outcomeOptions: Readonly<Record<string, string>> = {
  unprojected: 'not applied',
  ...Object.fromEntries(outcomes.map((outcome) => [outcome, outcome])),
  dismissed: 'dismissed',
};

const kinds = [
  'contact.*',
  'invitee.*',
  'invitee_no_show.*',
  'meeting_recap.*',
  'routing_form_submission.*',
  'event_type.*',
];

const fields: readonly Field[] = [
  { name: 'q', label: 'Text', type: 'search', placeholder: 'body, reason or subject' },
  { name: 'event', label: 'Event', placeholder: 'invitee.*', suggestions: kinds },
  { name: 'outcome', label: 'Outcome', options: outcomeOptions },
  {
    name: 'source',
    label: 'Show',
    none: 'received',
    options: {
      any: 'everything',
      backfill: 'read by a backfill',
      reconcile: 'read by a comparison',
      operator: 'done by operators',
    },
  },
  { name: 'address', label: 'E-mail address', type: 'email', placeholder: 'ada@example.com' },
  { name: 'min_received_at', label: 'From', type: 'datetime-local' },
  { name: 'max_received_at', label: 'Before', type: 'datetime-local' },
];

/** Fields that links fill in; they are shown while they are used. */
const rareFields: readonly Field[] = [
  { name: 'subject', label: 'Subject' },
  { name: 'reason', label: 'Reason' },
  { name: 'min_seq', label: 'From entry', type: 'number' },
  { name: 'max_seq', label: 'Up to entry', type: 'number' },
];

const all = [...fields, ...rareFields];

export const fieldsFor = (query: RawQuery): readonly Field[] => [
  ...fields,
  ...rareFields.filter(({ name }) => query[name] !== undefined),
];

export const filterIn = (query: RawQuery): RawQuery =>
  Object.fromEntries(all.flatMap(({ name }) => (query[name] === undefined ? [] : [[name, query[name]]])));

/** Filters of links to certain entries, which may have any source. */
const certain = ['outcome', 'subject', 'address', 'reason', 'min_seq', 'max_seq'];

/** What was received, unless the visitor asks for what was read from the API, too. */
export function sourceIn({ source, ...others }: RawQuery): RawQuery {
  if (source === 'any' || (source === undefined && certain.some((name) => others[name] !== undefined))) return others;
  return { ...others, source: source ?? 'webhook' };
}

export const receivedEnds = { min_received_at: 'first', max_received_at: 'after' } as const;

/** For `POST /api/deliveries/replay`. */
export const bodyOf = (query: RawQuery): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(filterIn(query)).map(([name, value]) => [name, name.endsWith('_seq') ? Number(value) : value]),
  );

/** For the command `replay`. */
export const optionsOf = (query: RawQuery): string =>
  Object.entries(filterIn(query))
    .map(([name, value]) => `--${renamed[name] ?? name.replaceAll('_', '-')} ${shellQuoted(value)}`)
    .join(' ');

const renamed: Readonly<Record<string, string>> = { subject: 'uri', q: 'text' };

export const filterFacts = (query: Readonly<Record<string, string | number>>): Readonly<Record<string, Markup>> =>
  Object.fromEntries(
    all.flatMap(({ name, label, options }) => {
      const value = query[name];
      return value === undefined ? [] : [[label, foreign(options?.[value] ?? String(value))]];
    }),
  );
