// What bootstrap plans and what it did, in one report, against the sandbox.
import { expect, it } from 'vitest';
import { reportApplied, reportPlan } from '#src/subscriptions/report.ts';
import { callback, openBootstrapper } from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

it('the report names each step with its owner and its events, before and after it was made', async () => {
  await using sandbox = await openTestSandbox({ contacts: 0, bookings: 0, rateLimits: false });
  const answers: Readonly<Record<string, number>> = { routing_form_submission: 400, contact: 503 };
  const bootstrapper = openBootstrapper(sandbox, {
    fetch: async (url, init) => {
      const family = /"events":\["(\w+)/.exec(String(init?.body))?.[1] ?? '';
      const status = answers[family];
      return status === undefined ? fetch(url, init) : Response.json({ title: 'No', message: 'No' }, { status });
    },
  });
  const events = ['contact.created', 'invitee.created', 'routing_form_submission.created'] as const;
  const situation = await bootstrapper.plan({ events });
  const { organization } = situation.account;
  expect(reportPlan(situation, ['a note'])).toMatchObject({
    organization,
    callback,
    pending: true,
    summary: { create: 3, delete: 0, keep: 0, refused: 0, leftover: 0 },
    conclusion: 'Plan: 3 to create, 0 to delete, 0 to keep.',
    steps: [
      {
        mark: '+',
        action: 'create',
        families: ['invitee'],
        scope: 'organization',
        owner: organization,
        events: ['invitee.created'],
      },
      { action: 'create', families: ['routing-form'] },
      { action: 'create', families: ['contact'] },
    ],
    notes: ['a note'],
  });
  const applied = await bootstrapper.apply({ events });
  expect(reportApplied(situation, applied, ['a note'])).toMatchObject({
    complete: false,
    summary: { created: 1, refused: 1, failed: 1, deleted: 0 },
    conclusion:
      'Not complete: 1 created. Not registered: routing form submissions, contacts. The next run tries again.',
    steps: [
      { mark: '+', action: 'created', families: ['invitee'] },
      {
        mark: '!',
        action: 'refused',
        families: ['routing-form'],
        events: ['routing_form_submission.created'],
        cause: { kind: 'request', status: 400, message: 'No' },
      },
      { mark: '!', action: 'failed', families: ['contact'], why: expect.stringContaining('503') },
    ],
    notes: [expect.stringMatching(/^Not registered: routing form submissions\. .*\n.*\n→ First check/), 'a note'],
  });
});
