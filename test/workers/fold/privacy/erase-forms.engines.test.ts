// A form that a person submitted is theirs, even where no answer says so: it is erased with them, whichever arrives first.
import { describe, expect } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { rebuild } from '#workers/sync/rebuild.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { eraseFrom, everythingIn } from '../../../harness/erasures.ts';
import { ingestBodies, oneEngine, rowsOf, testWith } from '../../../harness/stores.ts';

const base = 'https://api.example.test';
const address = 'ada@example.test';
const person = `${base}/scheduled_events/e/invitees/i`;
const form = `${base}/routing_form_submissions/s`;
const screen = privacyScreen({ eraseOnDelete: true });
const eraseIn = (store: Store, whom: string, only = false) =>
  eraseFrom(store, whom, { now: '2025-04-14T12:00:00.000000Z', only });

const deliveryBody = (event: string, payload: object, created_at = '2025-04-14T11:00:00Z') =>
  JSON.stringify({ event, created_at, payload: { updated_at: '2025-04-14T10:00:00Z', ...payload } });
const booking = (link: string | null) =>
  deliveryBody('invitee.created', {
    uri: person,
    email: address,
    name: 'Ada Zebra',
    status: 'active',
    event: `${base}/scheduled_events/e`,
    routing_form_submission: link,
  });
const submission = (submitter: string | null, id = form, words = 'Zebra') =>
  deliveryBody('routing_form_submission.created', {
    uri: id,
    routing_form: `${base}/routing_forms/f`,
    submitter,
    submitter_type: submitter === null ? null : 'Invitee',
    questions_and_answers: [
      { question_uuid: 'n', question: 'Name', answer: `Ada ${words}` },
      { question_uuid: 'p', question: 'Phone', answer: `+49 ${words}` },
    ],
  });
/** Of another person, who stays. */
const other = submission(`${base}/scheduled_events/e/invitees/o`, `${base}/routing_form_submissions/o`, 'Okapi');

async function expectGone(store: Store): Promise<void> {
  const text = await everythingIn(store);
  expect(text).not.toContain('zebra');
  expect(text).toContain('+49 okapi');
  const named = (await rowsOf(store, 'event_log')).filter(({ source }) => source === 'operator');
  expect(named.map(({ subject_uri }) => subject_uri)).toContain(form);
  expect(await rebuild({ store, screen })).toMatchObject({ rowsDiffered: 0 });
}

const ties = [
  { tie: 'the form names', bodies: [booking(null), submission(person)] },
  { tie: 'the booking names', bodies: [booking(form), submission(null)] },
];

describe.each(oneEngine)('the form of an erased invitee on $name', ({ fresh }) => {
  const it = testWith(fresh);

  it.for(
    ties.flatMap(({ tie, bodies }) => [
      { tie, bodies, whom: address, only: false },
      { tie, bodies, whom: person, only: false },
      { tie, bodies, whom: person, only: true },
    ]),
  )('goes by the tie that $tie, erasing $whom (only: $only)', async ({ bodies, whom, only }, { store }) => {
    await ingestBodies(store, [...bodies, other]);
    const { subjects } = await eraseIn(store, whom, only);
    expect(subjects).toContainEqual({ uri: form, table: 'routing_form_submissions' });
    await expectGone(store);
    // Delivered again, without the submitter.
    await ingestBodies(store, [submission(null).replace('11:00:00Z', '13:00:00Z')]);
    await expectGone(store);
  });
});
