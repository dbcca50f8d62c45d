// Which alerts should exist about bookings and submissions, at a time.
import { describe, expect, it } from 'vitest';
import { bookingSubject } from '#workers/out/alerts/bookings/booking-subject.ts';
import { evaluate } from '#workers/out/alerts/rules/subject.ts';
import { submissionSubject } from '#workers/out/alerts/submissions/submission-subject.ts';
import { rulesOf } from '../../../../harness/alerts/watched-rules.ts';
import { hostedMeeting } from '../../../../harness/data/attended-meetings.ts';
import { formSubmission } from '../../../../harness/data/form-submissions.ts';
import { openedOnce } from '../../../../harness/opened.ts';
import { freshSqlite, ingestBodies } from '../../../../harness/stores.ts';

const end = '2026-03-04T09:00:00Z';
const meetingOf = (name: string) => hostedMeeting({ name, hosts: ['Grace'], end });
const [ada, ben] = [meetingOf('Ada'), meetingOf('Ben')];
const form = formSubmission(1, Date.parse(end));
const unknown = 'https://api.scheduling.test/unknown';

const opened = openedOnce(async () => {
  const made = await freshSqlite();
  await ingestBodies(made.store, [ada.booked, ada.recapOfHost, ben.booked, form.submitted]);
  return made;
});

describe('an evaluation', () => {
  it('wants one alert per fact and channel, reports to hosts in the evening, and knows which records it did not find', async () => {
    const { bookings: rules } = await rulesOf(
      { name: 'marked', when: 'no_show' },
      { name: 'alone', when: 'suspected_no_show', grace: '2m' },
      { name: 'evening', when: 'unconfirmed' },
    );
    const toBoth = rules.map((rule) => ({ ...rule, channels: ['log', 'webhook'] as const }));
    const uris = [ada.invitee, unknown, ben.invitee];
    const { subjects, erased, desired, reports } = await evaluate(bookingSubject, opened.store, {
      uris,
      rules: toBoth,
      nowMs: 0,
    });
    expect([subjects, erased, reports]).toEqual([[ada.invitee, ben.invitee], [unknown], []]);
    const alert = {
      rule: 'alone',
      subject_uri: ada.invitee,
      fact: 'suspected_no_show',
      occurred_at: '2026-03-04T09:10:00.000000Z',
      graceMs: 120_000,
    };
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(desired).toEqual([
      { ...alert, channel: 'log', id },
      { ...alert, channel: 'webhook', id },
    ]);
    expect(new Set(desired.map((one) => one.id)).size).toBe(2);
    const evening = await evaluate(bookingSubject, opened.store, {
      uris,
      rules: rules.slice(2),
      nowMs: Date.parse('2026-03-04T18:00:00Z'),
    });
    expect(evening).toMatchObject({ desired: [], reports: [{ rule: 'evening', channel: 'log' }] });
  });

  it('reports a submission without a booking from the end of its time on', async () => {
    const { submissions: rules } = await rulesOf({ name: 'lead', when: 'form_without_booking', within: '5m' });
    const at = (nowMs: number) =>
      evaluate(submissionSubject, opened.store, { uris: [unknown, form.uri], rules, nowMs });
    const overMs = Date.parse(end) + 300_000;
    const nothing = { subjects: [form.uri], erased: [unknown], desired: [], reports: [] };
    expect(await at(overMs - 1)).toEqual(nothing);
    expect(await at(overMs)).toEqual({
      ...nothing,
      desired: [expect.objectContaining({ rule: 'lead', subject_uri: form.uri, fact: 'unbooked', graceMs: 0 })],
    });
  });
});
