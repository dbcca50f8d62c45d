// The plan of `bootstrap` over HTTP: what is desired, what exists, what would change.
import { z } from 'zod';
import { defineOperation } from '#src/api/api-operation.ts';
import { isTransient, SlotstreamError } from '#src/base/errors.ts';
import { conflict, HttpError } from '#src/http/http-error.ts';
import { processOf } from './mirror-process.ts';

const step = z.strictObject({
  action: z.string(),
  families: z.array(z.string()).describe('What its events are about; only one made by an earlier version has several.'),
  scope: z.string(),
  owner: z.string().describe('The organization, the user or the group whose events are delivered.'),
  events: z.array(z.string()),
  why: z.string().optional(),
  url: z.string().optional().describe('The callback that would be registered.'),
  uri: z.string().optional().describe('The existing subscription.'),
});

const account = {
  organization: z.string(),
  user: z.string(),
  group: z.string().nullable(),
  callback: z.string(),
  notes: z.array(z.string()),
};
const counts = z.record(z.string(), z.int().min(0));

export const subscriptionPlan = z
  .strictObject({
    ...account,
    pending: z.boolean().describe('Whether anything would change.'),
    summary: counts.describe('The number of steps by kind.'),
    steps: z.array(step),
    subscriptions: z
      .array(
        z.strictObject({
          uri: z.string(),
          callback_url: z.string().nullable(),
          state: z.string().nullable(),
          scope: z.string(),
          owner: z.string(),
          events: z.array(z.string()),
          retry_started_at: z.string().nullable().describe('Since when deliveries fail.'),
        }),
      )
      .describe('What exists at the service now, of this callback.'),
  })
  .meta({ id: 'SubscriptionPlan' });

const errors = {
  409: 'The settings lack something, or the service refuses the token.',
  503: 'The service does not answer, or limits the rate of calls.',
} as const;

export const planSubscriptions = defineOperation({
  id: 'planSubscriptions',
  method: 'GET',
  path: '/api/subscriptions/plan',
  tag: 'Subscriptions',
  summary: 'Compare the webhook subscriptions with the service',
  description: 'The same plan as `./bin/slotstream bootstrap --plan`. It calls the service, and changes nothing.',
  errors,
  answers: 'object',
  schema: subscriptionPlan,
  run: (context) => explained(() => processOf(context).planSubscriptions({ signal: context.request.signal })),
});

export const subscriptionPlanOperations = [planSubscriptions] as const;

/** What the operator can act upon is an answer, not a failure of this server. */
async function explained<Result>(run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SlotstreamError)) throw error;
    const message = [error.message, error.hint].filter((text) => text !== undefined).join(' ');
    if (isTransient(error)) throw new HttpError(503, { title: 'Service Unavailable', message });
    throw conflict({ message });
  }
}
