// One person's address planted into random histories: in any text of any fact, spelled in any way that still means them.
import fc, { type Arbitrary } from 'fast-check';
import type { Observation } from './delivery-histories.ts';
import { uris, type Payload } from './payloads.ts';
import { lcg, rendered } from './json-variants.ts';

export const canaryAddress = 'Zebra.7+news@Example.test';
const plain = canaryAddress.toLowerCase();
/** Another one, of the same person where one record of theirs has both. */
export const companionAddress = 'Yak@Example.test';

const spellings: readonly string[] = [
  canaryAddress,
  plain,
  canaryAddress.toUpperCase(),
  `Zebra <${plain}>`,
  `write to mailto:${plain}.`,
  `https://example.test/?email=${encodeURIComponent(plain)}&x=1`,
  `see https://example.test/?email=${plain.replace('+', '%2b')}`,
  `see https://example.test/?to=${encodeURIComponent(encodeURIComponent(plain))}`,
  `(${plain}) and others@example.test`,
  plain.replace('@', '\uff20'),
  `copied: ${plain.replace('@', '\u200b@\ufeff').replace('.', '\u00ad.\u2060')}`,
  `in HTML: ${plain.replace('@', '&#64;')}`,
  JSON.stringify({ nested: `see ${plain}` }).replace('@', '\\u0040'),
  companionAddress,
  companionAddress.toLowerCase(),
];

/** Whether the address stands in a text, however it is spelled. */
export function holdsCanary(text: string): boolean {
  return text
    .replaceAll(/%(25)+/g, '%')
    .replaceAll(/%(40|2b)/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replaceAll(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
    .replaceAll(/\uff20|&#64;|\\+u0040/g, '@')
    .toLowerCase()
    .includes(plain);
}

export const holdsCompanion = (text: string): boolean => text.toLowerCase().includes(companionAddress.toLowerCase());

// What a record is known by, when it was and how it stands is no text.
const isText = (key: string): boolean =>
  !/(_at|_date|_time)$|^(uri|event|user|old_invitee|new_invitee|status|amount)$/.test(key);

/** A payload with the address in some of its texts, chosen by the numbers. */
function planted(value: unknown, { key = '', next }: { key?: string; next: () => number }): unknown {
  if (typeof value === 'string') return isText(key) && next() % 3 === 0 ? spellings[next() % spellings.length] : value;
  if (Array.isArray(value)) return value.map((each) => planted(each, { key, next }));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, planted(each, { key: name, next })]));
}

const garbage: Arbitrary<Observation> = fc.constantFrom(...spellings).map((words) => ({
  fact: { event: 'none', created_at: '', payload: {}, sound: false },
  body: `{"event": "contact.updated", ${words.replace('@', '\\u0040')} no JSON`,
}));

/** An invitee belongs to one meeting for ever, and says so; a form is of one invitee, and both say so. */
function belonging(payload: Payload): Payload {
  const form = uris.submissions.indexOf(String(payload['uri']));
  if (form >= 0) return { ...payload, submitter: uris.invitees[form] };
  const place = uris.invitees.indexOf(String(payload['uri']));
  if (place < 0) return payload;
  const event = uris.events[place % uris.events.length];
  const embedded = payload['scheduled_event'];
  const link = place < uris.submissions.length ? { routing_form_submission: uris.submissions[place] } : {};
  return { ...payload, ...link, event, ...(embedded ? { scheduled_event: { ...embedded, uri: event } } : {}) };
}

/** The same histories, with the person in them here and there. Copies of a delivery stay copies. */
export function withPlantedAddress(histories: Arbitrary<Observation[]>): Arbitrary<Observation[]> {
  return fc
    .tuple(histories, fc.nat(0xffff), fc.array(garbage, { maxLength: 2 }))
    .map(([observations, seed, rubbish]) => [
      ...observations.map(({ fact, body }, index) => {
        // By content: two observations of one content are still of one content.
        const random = lcg(seed + JSON.stringify(fact.payload).length);
        const next = () => Math.floor(random() * 2 ** 16);
        const payload = belonging(planted(fact.payload, { next }) as Payload);
        const { event, created_at } = fact;
        const text = body === null ? null : rendered({ event, created_at, payload }, seed + index);
        return { fact: { ...fact, payload }, body: text };
      }),
      ...rubbish,
    ]);
}

/** Which of the two addresses may go when these are erased: those that hang together with them through people's records. */
export function mayBeErased(whom: readonly string[], payloads: readonly Payload[]): ReadonlySet<string> {
  const people = payloads.flatMap((payload) => [payload, payload['contact'], payload['user']]).filter(isRecord);
  const reached = new Set(whom);
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const { uri, emails, email } of people) {
      const text = JSON.stringify([emails, email]);
      const held = [
        ...(typeof uri === 'string' ? [uri] : []),
        ...(holdsCanary(text) ? [canaryAddress] : []),
        ...(holdsCompanion(text) ? [companionAddress] : []),
      ];
      if (held.some((each) => reached.has(each))) for (const each of held) reached.add(each);
    }
  }
  return reached;
}

const isRecord = (value: unknown): value is Payload => typeof value === 'object' && value !== null;
