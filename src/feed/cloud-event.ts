// The feed's entries as CloudEvents 1.0 in JSON, as an http-feeds feed and the sinks send them (D42).
import { z } from 'zod';
import type { Store } from '#src/store/contract.ts';
import { feedEntry, type FeedEntry } from './entry.ts';

/** One event, and an array of them. */
export const cloudEventType = 'application/cloudevents+json';
export const cloudEventBatchType = 'application/cloudevents-batch+json';

/** The documented schema. Events are built as text and are not validated by it. */
const cloudEvent = z
  .strictObject({
    specversion: z.literal('1.0'),
    id: z.string().describe('Continue with the last one as `lastEventId`. The same however often the entry is sent.'),
    source: z.string().describe('The mirror, as a URI: the same for all its entries.'),
    type: z.string().describe('`io.slotstream.` and the event; `io.slotstream.entry` where there is none.'),
    time: z.string().describe('When the entry was added.'),
    subject: z.string().optional().describe('The URI of the record it is about.'),
    method: z.literal('DELETE').optional().describe('The record was deleted, or its person erased: delete your copy.'),
    datacontenttype: z.literal('application/json').optional(),
    data: feedEntry.optional().describe('The entry; absent with `method`.'),
  })
  .meta({ id: 'CloudEvent' });
export const cloudEventBatch = z.array(cloudEvent);

/** With the time of receipt: a store that was restored from a backup gives the same positions to other entries. */
export function eventIdOf({ seq, receivedAt }: Pick<FeedEntry, 'seq' | 'receivedAt'>): string {
  return `feed_${seq}_${receivedAt.replaceAll(/\D/g, '')}`;
}

/** The ID of an event, and the position in it. Clients of http-feeds may send the text `null` before their first event. */
export const lastEventId = z
  .string()
  .regex(/^(?:null|feed_\d{1,15}_\d{1,30})?$/, 'the id of an event of this feed')
  .transform((id) => (id === '' || id === 'null' ? undefined : { id, seq: Number(id.split('_', 2)[1]) }));

/** Names of events come from outside. Only a kind, as `contact.updated`, is passed on as a name. */
export const eventNameOf = ({ event }: Pick<FeedEntry, 'event'>): string =>
  event !== null && /^[\w-]+(\.[\w-]+)+$/.test(event) ? event : 'entry';

export function cloudEventText(entry: FeedEntry, source: string): string {
  const { subjectUri, receivedAt, isDeletion, text } = entry;
  const head = {
    specversion: '1.0',
    id: eventIdOf(entry),
    source,
    type: `io.slotstream.${eventNameOf(entry)}`,
    time: receivedAt,
    ...(subjectUri !== null && subjectUri !== '' && { subject: subjectUri }),
    ...(isDeletion ? { method: 'DELETE' } : { datacontenttype: 'application/json' }),
  };
  const attributes = JSON.stringify(head);
  return isDeletion ? attributes : `${attributes.slice(0, -1)},"data":${text}}`;
}

/** The `source` of all events of this mirror: random, so it reveals nothing, and stored, so it never changes. */
export const eventSourceOf = ({ settings }: Pick<Store, 'settings'>): string => `urn:uuid:${settings.id}`;
