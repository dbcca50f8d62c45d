// The deliveries in the log: a list, one with its body and changes, and those in quarantine.
import { z } from 'zod';
import { problemsIn } from '#schemas/delivery.ts';
import { pageQuery } from '#schemas/pagination.ts';
import { instant } from '#schemas/resources/values.ts';
import { notFound } from '#src/http/http-error.ts';
import type { Listing, PageRequest, Position } from '#src/http/pagination.ts';
import { plainText } from '#src/http/request.ts';
import type { Readable } from '#src/store/contract.ts';
import type { DeliveryFilter } from '#src/store/log/log-candidates.ts';
import { entriesWithBodies } from '#src/read/deliveries/delivery-tail.ts';
import {
  countReasons,
  readDelivery,
  readDeliveries,
  receivedAt,
  type DeliveryLine,
} from '#src/store/log/log-search.ts';
import { lastSeq, type LogEntry } from '#src/store/log/read.ts';
import { defineOperation, type ApiContext } from '#src/api/api-operation.ts';
import { replayScript } from './curl-replay.ts';
import { deliveryFilters, deliveryRecord, filterOf, wholeDeliveryRecord } from './delivery-records.ts';
import { sentenceOf } from './sentences.ts';
import { isIdentifier } from '#src/api/row-record.ts';

/** How long a page is searched for where no index helps: as long as a person waits for one. */
const searchMs = 1_000;

const fields = {
  last_seq: z.int().describe('The end of the log when the search began; 0 when it is empty.'),
  stopped_at: z
    .strictObject({ seq: z.int(), received_at: instant.nullable() })
    .nullable()
    .describe(
      'The search for this page ended here because it would have taken too long: everything up to this entry was searched, and the next page continues from it. Null when the page is full or nothing is left.',
    ),
};

export const oneDelivery = {
  tag: 'Deliveries',
  params: z.object({ id: z.string().describe('Its `delivery_id`, or its `seq`.') }),
  errors: { 404: 'No such delivery.' },
} as const;

export const listDeliveries = defineOperation({
  id: 'listDeliveries',
  method: 'GET',
  path: '/api/deliveries',
  tag: 'Deliveries',
  summary: 'Deliveries, newest first',
  description:
    'Every entry of the log: deliveries, records read from the API, and the acts of operators. A page may hold fewer than `count` records, or none, although there are more: see `stopped_at`.',
  query: pageQuery.extend({
    ...deliveryFilters,
    include: z.literal('sentence').optional().describe('Adds a sentence about each delivery.'),
  }),
  answers: 'collection',
  schema: deliveryRecord,
  fields,
  async run({ query: { count: _count, page_token: _token, include, ...filters }, pageIn, ...needs }) {
    const found = await listLog(needs, filterOf(filters), pageIn('seq:desc'));
    return include === undefined
      ? found
      : { ...found, records: await withSentences(needs.reading.searches, found.records) };
  },
});

export const getDelivery = defineOperation({
  ...oneDelivery,
  id: 'getDelivery',
  method: 'GET',
  path: '/api/deliveries/{id}',
  summary: 'One delivery, with its body and what it changed',
  answers: 'resource',
  schema: wholeDeliveryRecord,
  run: async ({ reading, signing, params }) => wholeDelivery(await findDelivery(reading, params.id), signing),
});

const quarantineOutcomes = ['quarantined', 'unhandled'] as const;

const quarantineQuery = pageQuery.extend({
  outcome: z
    .enum(quarantineOutcomes)
    .optional()
    .describe('`quarantined`: it could not be parsed, or the store refused it. `unhandled`: its kind is unknown.'),
  event: plainText.optional().describe('Of this kind.'),
  reason: plainText.optional().describe('With exactly this reason.'),
});

export const listQuarantine = defineOperation({
  id: 'listQuarantine',
  method: 'GET',
  path: '/api/quarantine',
  tag: 'Quarantine',
  summary: 'Quarantined deliveries, newest first',
  description:
    'They are in the log but not in the tables; those that were dismissed are left out. Nothing is lost: after a fix, `./bin/slotstream replay --quarantined` or the replay of one delivery applies them.',
  query: quarantineQuery,
  answers: 'collection',
  schema: deliveryRecord,
  fields,
  run: ({ query: { outcome, event, reason }, pageIn, ...needs }) =>
    listLog(needs, { outcome, event, reason, unprojected: true }, pageIn('seq:desc')),
});

const maxReasons = 100;

/** Quarantined deliveries by reason, the most frequent first. Of each outcome this many are counted, the newest. */
export const readQuarantineReasons = ({ reading }: Pick<ApiContext, 'reading'>, newest: number) =>
  countReasons(reading, { limit: maxReasons, newest });

/** A page of the log, newest first. */
async function listLog(
  { reading: { searches }, clock }: Pick<ApiContext, 'reading' | 'clock'>,
  filter: DeliveryFilter,
  { count, from, backwards }: PageRequest,
): Promise<Listing & { readonly records: readonly DeliveryLine[] }> {
  const endMs = clock() + searchMs;
  const end = await lastSeq(searches);
  const { lines, stoppedAt } = await readDeliveries(searches, filter, {
    from: from && Number(from.key),
    newer: backwards,
    // One more than requested shows whether there is another page.
    limit: count + 1,
    mayContinue: () => clock() < endMs,
  });
  const isMore = lines.length > count || stoppedAt !== undefined;
  const items = lines.slice(0, count);
  const records = backwards ? items.toReversed() : items;
  const at = (seq: number | undefined): Position | undefined =>
    seq === undefined ? undefined : { key: String(seq), uri: '' };
  const stopped = lines.length > count ? undefined : stoppedAt;
  // A page without records lies between the entry it begins beyond and the end of its search.
  const begin = from && Number(from.key);
  const first = records[0]?.seq ?? (begin === undefined ? undefined : begin - 1);
  const last = records.at(-1)?.seq ?? (begin === undefined ? undefined : begin + 1);
  return {
    records,
    first: at(backwards ? (stopped ?? first) : first),
    last: at(backwards ? last : (stopped ?? last)),
    hasPrevious: backwards ? isMore : from !== undefined,
    hasNext: backwards || isMore,
    fields: {
      last_seq: end,
      stopped_at:
        stopped === undefined ? null : { seq: stopped, received_at: (await receivedAt(searches, stopped)) ?? null },
    },
  };
}

async function withSentences(store: Readable, lines: readonly DeliveryLine[]): Promise<readonly object[]> {
  const entries = await entriesWithBodies(
    store,
    lines.map(({ seq }) => seq),
  );
  const sentences = new Map(entries.map((entry) => [entry.seq, sentenceOf(entry)]));
  // A line without an entry was replayed meanwhile and has another offset.
  return lines.map((line) => ({ ...line, sentence: sentences.get(line.seq) ?? line.event ?? '' }));
}

export async function findDelivery(store: Readable, id: string): Promise<LogEntry> {
  const name = /^\d{1,15}$/.test(id) ? { seq: Number(id) } : { deliveryId: id };
  const entry = isIdentifier(id) ? await readDelivery(store, name) : undefined;
  if (entry === undefined) throw notFound('No such delivery.', 'id');
  return entry;
}

/** The scheme of the service, unless another is configured (A2). */
const serviceSigning = { scheme: 'timestamped', header: 'Calendly-Webhook-Signature' } as const;

export function wholeDelivery(
  { tie: _internal, ...entry }: LogEntry,
  signing: ApiContext['signing'] = serviceSigning,
): object {
  const { body, encoding, redacted, source } = entry;
  const isWhole = source === 'webhook' && !redacted && body !== null;
  const resend = isWhole ? replayScript({ body, encoding }, signing) : null;
  const isUnread = entry.outcome === 'quarantined' && source === 'webhook' && body !== null && encoding === null;
  return {
    ...entry,
    sentence: sentenceOf(entry),
    problems: isUnread ? problemsIn(body) : [],
    resend,
  };
}
