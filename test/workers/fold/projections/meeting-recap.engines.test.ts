// Who spoke in a meeting: the one thing that is stored of a transcript, and gone with the person it names.
import { describe, expect, it } from 'vitest';
import { speakersRecord, transcript } from '#schemas/meeting-recap.ts';
import type { JsonObject } from '#schemas/wire.ts';
import type { Store } from '#src/store/contract.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { ingestRecords } from '#workers/sync/records.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import { ingestBodies, oneEngine, receivedAt, rowsOf, tableNames, testWith } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const uri = `${base}/meeting_recaps/1`;
const screen = privacyScreen({ eraseOnDelete: true });
const created_at = '2025-04-14T11:00:00.000000Z';

const answer = transcript.parse({
  uri: `${uri}/transcript`,
  recap: uri,
  language: 'en',
  segments: [
    { speaker: ' Canary Person ', start_seconds: 0, text: 'secret words' },
    { speaker: 'Host', start_seconds: 4, text: 'Hello.' },
    { speaker: 'Canary Person', start_seconds: 9, text: 'Bye.' },
    { speaker: '  ', text: '' },
    { text: 'no speaker' },
    'no segment',
  ],
});

const recapBody = (event: string, second: number, payload: JsonObject = {}) =>
  JSON.stringify({
    event,
    created_at: `2025-04-14T11:00:0${second}Z`,
    payload: { uri, created_at, summary_md: 'Short.', ...payload },
  });

const read = (store: Store, record: JsonObject, second = 5) =>
  ingestRecords(
    { store, screen },
    [{ kind: 'meeting_recap_transcript', record, observed: `2025-04-14T11:00:0${second}Z` }],
    { source: 'reconcile', now: receivedAt },
  );

describe('the record of a transcript', () => {
  it('has each speaker once, and none of the words', () => {
    expect(speakersRecord({ uri, created_at }, answer)).toEqual({
      uri,
      created_at,
      speakers: ['Canary Person', 'Host'],
    });
  });

  it('is read from plain text as well, line by line', () => {
    const text = 'Canary Person: Hello: there.\nand more words\r\nHost:\tYes.\nCanary Person: Bye.';
    for (const form of [{ text }, { text, segments: [] }, { text: text.replaceAll(/^(?=[CH])/gm, '[00:01:02] ') }])
      expect(speakersRecord({ uri, created_at }, transcript.parse({ uri, ...form }))).toMatchObject({
        speakers: ['Canary Person', 'Host'],
      });
    const behind = speakersRecord({ uri, created_at }, transcript.parse({ text: 'Host (00:12): Yes.' }));
    expect(behind).toMatchObject({ speakers: ['Host'] });
  });

  it('has no speakers where none could be read', () => {
    for (const odd of [{ segments: 'none' }, { segments: [] }, { text: 'no names' }, {}])
      expect(speakersRecord({ uri, created_at: null }, transcript.parse(odd))).toMatchObject({ speakers: null });
  });
});

describe.each(oneEngine)('the speakers of a meeting on $name', ({ fresh }) => {
  const it = testWith(fresh);

  const record = speakersRecord({ uri, created_at }, answer);

  it('are those of the transcript, which a recap cannot state', async ({ store }) => {
    await read(store, record);
    await ingestBodies(store, [recapBody('meeting_recap.updated', 9, { speakers: ['Other'] })]);
    const row = { summary_md: 'Short.', speakers: ['Canary Person', 'Host'] };
    expect(await rowsOf(store, 'meeting_recaps')).toMatchObject([row]);
  });

  const address = 'canary@example.test';
  const event = { uri: `${base}/scheduled_events/1`, attendees: [{ user_email: address, user_name: 'Canary Person' }] };

  it.for(['before', 'after'])('go when one of them is erased, read %s the erasure', async (when, { store }) => {
    const facts = async () => {
      await ingestBodies(store, [recapBody('meeting_recap.created', 1, { event })]);
      await read(store, record);
      await read(store, { uri: `${base}/meeting_recaps/2`, speakers: ['Host', address] });
    };
    if (when === 'before') await facts();
    await eraseFrom(store, address, { now: '2025-04-14T12:00:00.000000Z' });
    await facts();
    const everything = async () => JSON.stringify(await Promise.all(tableNames.map((table) => rowsOf(store, table))));
    expect(await everything()).not.toMatch(/canary/i);
    expect(await rowsOf(store, 'meeting_recaps')).toMatchObject([{ speakers: null }, { speakers: null }]);
    expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
    expect(await everything()).not.toMatch(/canary/i);
  });
});
