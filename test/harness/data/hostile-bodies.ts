// Deliveries of every kind in which every text that a stranger may have written is hostile: markup, scripts, links that run code,
// other directions of writing, very long words.
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';
import { browserTexts, hugeNumber } from './hostile.ts';

const links = /^(?:join_url|cancel_url|reschedule_url|scheduling_url|linkedin|share_link|url)$/;
const structure =
  /^(?:uri|status|type|kind|event|user|routing_form|event_type|old_invitee|new_invitee|owner|.*_type|.*_uri|.*_at|.*_time|.*_date|.*_by)$/;

/** One record per kind and hostile text, and deliveries whose envelope is hostile as well. */
export function hostileBodies(now: Date): readonly string[] {
  const sample = createSampler(16);
  const kinds = Object.keys(eventKinds) as EventKind[];
  const bodies = browserTexts.flatMap((text, index) =>
    kinds
      // What is deleted or canceled is shown less: only the first is deleted, and every other one canceled.
      .filter((kind) => (index === 0 || !kind.endsWith('.deleted')) && (index % 2 === 0 || kind !== 'invitee.canceled'))
      .map((kind) => bodyOf(attacked(sample(kind, { index, now }), '', text))),
  );
  const unknownKinds = browserTexts.slice(0, 7).map((event) => JSON.stringify({ event, payload: { name: event } }));
  const brokenFields = browserTexts.map((text) =>
    JSON.stringify({ event: 'contact.created', created_at: text, payload: { uri: { [text]: text }, name: [text] } }),
  );
  return [
    ...bodies,
    ...unknownKinds,
    ...brokenFields,
    ...browserTexts.map((text) => `not JSON: ${text.toWellFormed()}`),
  ];
}

/** With a number that a program may not round when it shows the body. */
const bodyOf = (value: unknown): string =>
  JSON.stringify(value).replace('"payload":{', `"payload":{"huge":${hugeNumber},`);

function attacked(value: unknown, key: string, text: string): unknown {
  if (Array.isArray(value)) return value.map((one) => attacked(one, key, text));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, attacked(one, name, text)]));
  if (typeof value !== 'string' || structure.test(key)) return value;
  if (links.test(key)) return `javascript:window.attacked=1//${text}`;
  return key === 'email' || value.includes('@') ? `${text}@example.test` : text;
}
