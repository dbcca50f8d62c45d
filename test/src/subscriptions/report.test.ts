// What bootstrap plans and what it did, as JSON, against the sandbox.
import { expect, it } from 'vitest';
import { appliedAsJson, planAsJson } from '#src/subscriptions/report.ts';
import { callback, openBootstrapper } from '../../harness/sandbox/bootstrapper.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';

it('the report names each step with its owner and its events, before and after it was made', async () => {
  await using sandbox = await openTestSandbox({ contacts: 0, bookings: 0, rateLimits: false });
  const bootstrapper = openBootstrapper(sandbox);
  const events = ['contact.created', 'invitee.created'] as const;
  const situation = await bootstrapper.plan({ events });
  const { organization } = situation.account;
  expect(planAsJson(situation, ['a note'])).toMatchObject({
    organization,
    callback,
    pending: true,
    summary: { create: 1, replace: 0, delete: 0, keep: 0, refused: 0, leftover: 0 },
    steps: [{ action: 'create', scope: 'organization', owner: organization, events }],
    notes: ['a note'],
  });
  const applied = await bootstrapper.apply({ events });
  expect(appliedAsJson({ situation, applied, notes: [] })).toMatchObject({
    complete: true,
    summary: { created: 1, deleted: 0 },
    deeds: [{ action: 'created', scope: 'organization' }],
    missing: [],
  });
});
