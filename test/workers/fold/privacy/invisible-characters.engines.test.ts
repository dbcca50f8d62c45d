// Characters that are not shown, such as the direction marks of an address book, hide no address from an erasure: not in a row, not in a body
// of the log, and not in what arrives later.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import { availableEngines, ingestBodies, rowsOf, testWith } from '../../../harness/stores.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';

const base = 'https://api.example.test';
const address = 'victim@victim-mail.test';

/** What opens, and what closes where the character is one of a pair. */
const marks: Readonly<Record<string, readonly [open: string, close?: string]>> = {
  'left-to-right marks': ['\u200e'],
  'right-to-left marks': ['\u200f'],
  'an embedding': ['\u202a', '\u202c'],
  'an embedding to the left': ['\u202b', '\u202c'],
  'an override': ['\u202e', '\u202c'],
  'an isolate': ['\u2066', '\u2069'],
  'Arabic letter marks': ['\u061c'],
  'variation selectors': ['\ufe0f'],
  'grapheme joiners': ['\u034f'],
  'invisible separators': ['\u2063'],
  'Mongolian vowel separators': ['\u180e'],
  'Hangul fillers': ['\u3164'],
  'language tags': ['\u{e0041}', '\u{e007f}'],
};

const places: Readonly<Record<string, (open: string, close: string) => string>> = {
  'inside the name': (open, close) => address.replace('ict', `${open}ict${close}`),
  'before the @': (open, close) => address.replace('victim', `${open}victim${close}`),
  'behind the @': (open, close) => address.replace('victim-', `${open}victim${close}-`),
  'around the address': (open, close) => `${open}${address}${close}`,
  'between the words and the address': (open, close) => `call${open}${address}${close}now`,
  'as an escape of JSON': (open, close) =>
    JSON.stringify({ to: `${open}vic${close}tim@victim-mail.test` }).replaceAll(/[^\0-\x7f]/g, (unit) =>
      Array.from({ length: unit.length }, (_, at) => `\\u${unit.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
        '',
      ),
    ),
  'percent-encoded': (open, close) => encodeURIComponent(`${open}vic${close}tim@victim-mail.test`),
};

const texts = Object.entries(marks).flatMap(([mark, [open, close = open]]) =>
  Object.entries(places).map(([place, write]) => ({ name: `${mark} ${place}`, text: `ask ${write(open, close)}` })),
);

/** As the address of a contact, not within a text. */
const spelled = texts.flatMap(({ name, text }) =>
  /(inside the name|the @|around the address)$/.test(name) ? [text.slice('ask '.length)] : [],
);

const body = (uri: string, more: object): string =>
  JSON.stringify({
    event: 'contact.updated',
    created_at: '2025-04-14T11:00:00Z',
    payload: { uri, name: 'Grace', emails: [{ email: 'grace@example.test', is_primary: true }], ...more },
  });
const bodies = (version: string): string[] => [
  ...texts.map(({ text }, index) => body(`${base}/contacts/${version}${index}`, { job_title: text, company: 'Stays' })),
  ...spelled.map((email, index) => body(`${base}/contacts/${version}own${index}`, { emails: [{ email }] })),
];
const named = new Map(texts.map(({ text, name }) => [text, name]));

/** The names of the texts that are still there, and every form of the address in the log. */
async function left(store: Store) {
  const rows = await rowsOf(store, 'contacts');
  const log = (await rowsOf(store, 'event_log')).map(({ body, changes }) => JSON.stringify([body, changes]));
  return {
    rows: rows.flatMap(({ job_title: title }) => (typeof title === 'string' ? [named.get(title) ?? title] : [])),
    log: log.filter((text) => text.includes('victim-mail') || /ask/.test(text)),
    emails: (await rowsOf(store, 'contact_emails')).filter(({ email }) => email !== 'grace@example.test'),
  };
}

describe.each(availableEngines)('an erased address with invisible characters in it on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it('is found in rows, in bodies of the log and in what arrives later, wherever they stand (N7)', async ({
    store,
  }) => {
    const sent = bodies('early');
    await ingestBodies(store, sent);
    expect((await rowsOf(store, 'contacts')).filter(({ job_title }) => named.has(String(job_title)))).toHaveLength(
      texts.length,
    );
    await eraseFrom(store, address, { now: '2025-04-14T12:00:00.000000Z' });
    const nothing = { rows: [], log: [], emails: [] };
    expect(await left(store)).toEqual(nothing);
    await ingestBodies(store, [...sent, ...bodies('late')]);
    expect(await left(store)).toEqual(nothing);
    const others = (await rowsOf(store, 'contacts')).filter(({ company }) => company === 'Stays');
    expect(others).toHaveLength(2 * texts.length);
    expect(await rebuild({ store, screen: privacyScreen({ eraseOnDelete: true }) })).toMatchObject({ rowsDiffered: 0 });
  });

  it('is that of the person whichever way the operator writes it', async ({ store }) => {
    await ingestBodies(store, [body(`${base}/contacts/own`, { emails: [{ email: address }] })]);
    await eraseFrom(store, '\u202avic\u034ftim\u200f@victim\ufe0f-mail.test\u202c', {
      now: '2025-04-14T12:00:00.000000Z',
    });
    expect((await rowsOf(store, 'contact_emails')).map(({ email }) => email)).toEqual([]);
  });
});
