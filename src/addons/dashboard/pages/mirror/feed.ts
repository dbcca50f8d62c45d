// The feed: who reads it and how far behind, and the sinks it is pushed to.
import { html } from 'hono/html';
import { listFeedConsumers } from '#src/api/feed-consumers.ts';
import { readSinks, type Sink } from '#src/api/mirror/mirror-process.ts';
import { number } from '#src/base/number-text.ts';
import { table } from '#src/addons/dashboard/components/list.ts';
import { badge, foreign, time, type Markup, type State } from '#src/addons/dashboard/components/markup.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { partsOfMirror } from './parts.ts';

export const feedPage = definePage({
  path: '/mirror/feed',
  section: '/mirror',
  async show({ ask, read }) {
    const { collection: consumers } = await ask(listFeedConsumers);
    const sinks = await read(readSinks);
    return {
      title: 'Feed',
      content: html`${partsOfMirror('/mirror/feed')}
        <h1>Feed</h1>
        <p class="lead">Programs read every change in order. Sinks receive every change.</p>
        <h2>Consumers</h2>
        ${table({
          caption: 'Named consumers of the feed',
          rows: consumers,
          keyOf: ({ name }) => name,
          empty: html`No consumer has acknowledged an entry. A consumer appears when it reads <code>/api/feed?consumer=NAME</code> and acknowledges.`,
          columns: [
            { name: 'Consumer', cell: ({ name }) => foreign(name) },
            { name: 'Behind', cell: ({ behind }) => behindText(behind), isNumber: true },
            { name: 'Offset', cell: ({ position }) => number(position), isNumber: true },
            { name: 'Last acknowledged', cell: ({ updated_at }) => time(updated_at) },
          ],
        })}
        <h2>Sinks</h2>
        ${table({
          caption: 'Sinks of the feed',
          rows: sinks,
          keyOf: ({ name }) => name,
          empty: html`No sink is configured. <code>FEED_PUSH_URL</code> sends each change as a signed webhook, <code>FEED_STREAM_URL</code>, <code>FEED_NATS_URL</code> and <code>FEED_KAFKA_URL</code> to a stream of Redis, NATS or Kafka.`,
          columns: [
            {
              name: 'Sink',
              cell: ({ name, host }) => html`<div>${name}${host ? html` → ${foreign(host)}` : ''}</div>`,
            },
            { name: 'State', cell: stateOf },
            { name: 'Behind', cell: ({ behind }) => behindText(behind), isNumber: true },
            { name: 'Sent', cell: ({ sent }) => number(sent), isNumber: true, isMinor: true },
            { name: 'Refused', cell: ({ failures }) => number(failures), isNumber: true },
            { name: 'Last error', cell: ({ last_error: error }) => (error === null ? '' : foreign(error)) },
            { name: 'Last moved', cell: ({ updated_at: at }) => time(at) },
          ],
        })}`,
    };
  },
});

/** A log that is written to is never read to its last entry. */
const behindText = (behind: number): string => (behind === 0 ? 'nothing' : number(behind));

const sinkStates: Readonly<Record<Sink['state'], readonly [text: string, state: State]>> = {
  waiting: ['not started', 'quiet'],
  current: ['up to date', 'ok'],
  sending: ['catching up', 'quiet'],
  retrying: ['refuses entries', 'problem'],
  elsewhere: ['sent by another process', 'quiet'],
  off: ['no longer configured', 'attention'],
};
const stateOf = ({ state }: Sink): Markup => badge(...sinkStates[state]);
