// Deliveries of every kind in which every text that a stranger may have written is hostile: markup, scripts, links that run code,
// other directions of writing, very long words.
import { eventKinds, type EventKind } from '#schemas/events.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';

/** Each would set `window.attacked`, if a browser took it for more than text. */
export const hostileTexts: readonly string[] = [
  '<img src=x onerror="window.attacked=1">',
  '</script><script>window.attacked=1</script>',
  '"><svg onload=window.attacked=1><a href="',
  "' autofocus onfocus='window.attacked=1' x='",
  'javascript:window.attacked=1',
  '</title></style></textarea><iframe srcdoc="<script>top.attacked=1</script>">',
  '\u202Etxt.exe\u202D \u0000 \u001B[31m \uD800 &lt;b&gt; %3Cscript%3E',
  'W'.repeat(10_000),
];

/** Exact only as text: a double cannot hold it. */
export const hugeNumber = '9007199254740993';

/** Bodies that grow when they are read, shown or copied, by the reason for which they are quarantined. */
export const bombs: readonly (readonly [body: string, reason: string])[] = [
  ['['.repeat(200_000), 'too_deep'],
  ['['.repeat(9_000) + ']'.repeat(9_000), 'too_deep'],
  ['['.repeat(95_000) + ']'.repeat(95_000), 'too_deep'],
  ['{"a":'.repeat(150_000), 'too_deep'],
  [`{"event":"contact.updated","payload":${'['.repeat(100)}${']'.repeat(100)}}`, 'too_deep'],
  [`[${'0,'.repeat(95_000)}0]`, 'too_complex'],
  [`{"event":"contact.updated","payload":{${'"k":1,'.repeat(120_000)}"k":1}}`, 'too_complex'],
  [`not JSON: ${"'".repeat(900_000)}`, 'not JSON'],
  [`{"a":"${'\\"'.repeat(400_000)}`, 'not JSON'],
  [`[${'9'.repeat(900_000)}x]`, 'not JSON'],
  [`{"a":[${' '.repeat(900_000)}]}`, 'event: expected string'],
];

const links = /^(?:join_url|cancel_url|reschedule_url|scheduling_url|linkedin|share_link|url)$/;
const structure =
  /^(?:uri|status|type|kind|event|user|routing_form|event_type|old_invitee|new_invitee|owner|.*_type|.*_uri|.*_at|.*_time|.*_date|.*_by)$/;

/** One record per kind and hostile text, and deliveries whose envelope is hostile as well. */
export function hostileBodies(now: Date): readonly string[] {
  const sample = createSampler(16);
  const kinds = Object.keys(eventKinds) as EventKind[];
  const bodies = hostileTexts.flatMap((text, index) =>
    kinds
      // What is deleted or canceled is shown less: only the first is deleted, and every other one canceled.
      .filter((kind) => (index === 0 || !kind.endsWith('.deleted')) && (index % 2 === 0 || kind !== 'invitee.canceled'))
      .map((kind) => bodyOf(attacked(sample(kind, { index, now }), '', text))),
  );
  const unknownKinds = hostileTexts.slice(0, 7).map((event) => JSON.stringify({ event, payload: { name: event } }));
  const brokenFields = hostileTexts.map((text) =>
    JSON.stringify({ event: 'contact.created', created_at: text, payload: { uri: { [text]: text }, name: [text] } }),
  );
  return [
    ...bodies,
    ...unknownKinds,
    ...brokenFields,
    ...hostileTexts.map((text) => `not JSON: ${text.toWellFormed()}`),
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
