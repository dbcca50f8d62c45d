// The privacy stage as the fold calls it: what it redacts along with a batch, and whether it says so.
import { describe, expect, it } from 'vitest';
import { findContacts } from '#src/read/contacts/contact-page.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eraseFrom } from '../../../harness/erasures.ts';
import { openedAnew } from '../../../harness/opened.ts';
import { freshSqlite, ingestBodies, rowsOf } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const now = '2025-04-14T12:00:00.000000Z';
const address = 'ada@example.test';
const delivery = (event: string, payload: object, created_at = '2025-04-14T11:00:00Z') =>
  JSON.stringify({ event, created_at, payload });
const contact = (id: string, name: string, at?: string) =>
  delivery('contact.updated', { uri: `${base}/contacts/${id}`, name }, at);
const deleted = (id: string) => delivery('contact.deleted', { uri: `${base}/contacts/${id}` }, '2025-04-14T11:30:00Z');
const invitee = (id: string, more: object = {}) => ({
  uri: `${base}/scheduled_events/${id}/invitees/${id}`,
  email: address,
  name: `Ada ${id}`,
  event: `${base}/scheduled_events/${id}`,
  ...more,
});

const opened = openedAnew(freshSqlite);

const entries = async () =>
  (await rowsOf(opened.store, 'event_log')).map(({ event, subject_uri: uri, redacted, body }) => ({
    event,
    uri,
    redacted: Boolean(redacted),
    body: String(body),
  }));
const eraseAda = () => eraseFrom(opened.store, address, { now, only: true });

describe('the screen', () => {
  it('redacts the entries about a deleted contact, earlier and later ones, and says when it removed something', async () => {
    const { store } = opened;
    expect((await ingestBodies(store, [contact('1', 'Ada'), contact('2', 'Grace')])).hasRedacted).toBe(false);
    expect((await ingestBodies(store, [deleted('1')])).hasRedacted).toBe(true);
    expect((await ingestBodies(store, [contact('1', 'Ada again', '2025-04-14T11:10:00Z')])).hasRedacted).toBe(false);
    const all = await entries();
    expect(all.map(({ redacted, body }) => [redacted, /Ada|Grace/.exec(body)?.[0]])).toEqual([
      [true, undefined],
      [false, 'Grace'],
      [true, undefined],
      [true, undefined],
    ]);
  });

  it('leaves them where deletes do not erase', async () => {
    const { hasRedacted } = await ingestBodies(opened.store, [contact('1', 'Ada'), deleted('1')], false);
    expect([hasRedacted, (await entries()).map(({ redacted }) => redacted)]).toEqual([false, [false, false]]);
  });

  it('is outdated as soon as another writer erases a person', async () => {
    const { store } = opened;
    // Not within a transaction, which would be tried again.
    const unit = { ...store, engine: { ...store.engine, manyWriters: true } };
    const screened = await privacyScreen({ eraseOnDelete: true }).screen(unit, []);
    const check = () => screened.requireCurrent(unit);
    await check();
    await eraseAda();
    await expect(check()).rejects.toMatchObject({ code: 'erased_meanwhile' });
  });

  it('has another version after each erasure', async () => {
    const { store } = opened;
    const screen = privacyScreen({ eraseOnDelete: true });
    const before = await screen.version(store);
    await eraseAda();
    expect(await screen.version(store)).not.toBe(before);
  });
});

describe('a late entry about an erased person', () => {
  it('adds one erasure for each record that it reveals, and redacts what the log holds about them', async () => {
    const { store } = opened;
    const form = `${base}/routing_form_submissions/1`;
    await eraseAda();
    const meeting = { uri: `${base}/scheduled_events/1`, meeting_notes_plain: 'A call with Ada' };
    const recap = { uri: `${base}/meeting_recaps/1`, summary: 'Ada spoke', event: { uri: meeting.uri } };
    const earlier = [
      delivery('routing_form_submission.created', { uri: form, questions_and_answers: [{ answer: 'I am Ada' }] }),
      delivery('meeting_recap.created', recap),
      `{"event": "contact.updated", no JSON of Ada, ${meeting.uri}`,
    ];
    expect((await ingestBodies(store, earlier)).hasRedacted).toBe(false);
    const late = delivery('invitee.created', invitee('1', { scheduled_event: meeting, routing_form_submission: form }));
    expect((await ingestBodies(store, [late])).hasRedacted).toBe(true);
    const all = await entries();
    expect(all.filter(({ body }) => body.includes('Ada'))).toEqual([]);
    const erased = all.filter(({ event }) => event === 'person.erased').map(({ uri }) => uri);
    expect(erased.slice(1)).toEqual([invitee('1').uri, form, meeting.uri, recap.uri]);
    expect((await ingestBodies(store, [late])).hasRedacted).toBe(false);
    expect((await rowsOf(store, 'event_log')).length).toBe(all.length);
  });

  it('has its erasures dated by its receipt, also for records that only another late entry reveals', async () => {
    const { store } = opened;
    await eraseAda();
    const recap = delivery('meeting_recap.created', {
      uri: `${base}/meeting_recaps/1`,
      event: { uri: `${base}/scheduled_events/1` },
    });
    await ingestBodies(store, [recap, delivery('invitee.created', invitee('1')), contact('2', 'Grace')]);
    const log = await rowsOf(store, 'event_log');
    const erasures = log.filter(({ event }) => event === 'person.erased').slice(1);
    expect(erasures.map(({ subject_uri: uri, received_at: at }) => [uri, at])).toEqual([
      [invitee('1').uri, now],
      [`${base}/scheduled_events/1`, now],
      [`${base}/meeting_recaps/1`, now],
    ]);
  });

  it('takes a contact that it reveals out of the search', async () => {
    const { store } = opened;
    const named = (id: string, name: string, more: object = {}) =>
      delivery('contact.updated', { uri: `${base}/contacts/${id}`, name, created_at: now, ...more });
    await ingestBodies(store, [named('1', 'Ada'), named('2', 'Grace')]);
    await eraseAda();
    const emails = [{ email: address }];
    await ingestBodies(store, [named('1', 'Ada', { emails })]);
    const page = { count: 5, descending: false, backwards: false };
    const { items } = await findContacts(store, { search: {}, order: 'created_at', page });
    expect(items).toMatchObject([{ name: 'Grace' }]);
  });
});
