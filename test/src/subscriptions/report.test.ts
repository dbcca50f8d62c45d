// What bootstrap plans and what it did, as JSON, against the sandbox.
import { expect, it } from 'vitest';
import { appliedAsJson, planAsJson } from '#src/subscriptions/report.ts';
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
  expect(planAsJson(situation, ['a note'])).toMatchObject({
    organization,
    callback,
    pending: true,
    summary: { create: 3, delete: 0, keep: 0, refused: 0, leftover: 0 },
    steps: [
      {
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
  expect(appliedAsJson({ situation, applied, notes: [] })).toMatchObject({
    complete: false,
    summary: { created: 1, refused: 1, failed: 1, deleted: 0 },
    results: [
      { action: 'created', families: ['invitee'] },
      { action: 'refused', families: ['routing-form'] },
      { action: 'failed', families: ['contact'], why: expect.stringContaining('503') },
    ],
    missing: [
      {
        family: 'routing-form',
        events: ['routing_form_submission.created'],
        cause: 'request',
        status: 400,
        message: 'No',
        missing: 'routing form submissions',
      },
      { family: 'contact', cause: 'failed', message: expect.stringContaining('503') },
    ],
  });
});
