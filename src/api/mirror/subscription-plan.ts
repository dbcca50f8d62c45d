// The plan of `bootstrap` over HTTP: what is desired, what exists, what would change; and carrying out the plan that was shown.
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
    id: z.string().describe('Name it to carry out exactly this plan.'),
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

export const appliedPlan = z
  .strictObject({
    ...account,
    complete: z.boolean().describe('Everything desired exists, and everything to be deleted is deleted.'),
    summary: counts,
    deeds: z.array(step),
    missing: z.array(
      z.strictObject({
        family: z.string(),
        events: z.array(z.string()),
        optional: z.boolean().describe('The service need not offer it.'),
        cause: z.string().describe('`scopes`, `plan`, `permission`, `request`, `hidden`, `unknown` or `failed`.'),
        scopes: z.array(z.string()).optional().describe('What the token lacks.'),
        status: z.int().optional(),
        message: z.string().optional(),
        missing: z.string(),
      }),
    ),
  })
  .meta({ id: 'AppliedSubscriptionPlan' });

const errors = {
  409: 'The settings lack something, the service refuses the token, or the plan has changed.',
  503: 'The service does not answer, or limits the rate of calls.',
} as const;

export const planSubscriptions = defineOperation({
  id: 'planSubscriptions',
  method: 'GET',
  path: '/api/subscriptions/plan',
  tag: 'Subscriptions',
  summary: 'Compare the webhook subscriptions with the service',
  description: 'The same plan as `./bin/slotstream bootstrap --plan`. It calls the service, and changes nothing.',
  query: z.strictObject({
    prune: z.enum(['true', 'false']).default('false').describe('Also delete subscriptions that are no longer needed.'),
  }),
  errors,
  answers: 'object',
  schema: subscriptionPlan,
  run: (context) => {
    const { query, request } = context;
    return explained(() =>
      processOf(context).planSubscriptions({ prune: query.prune === 'true', signal: request.signal }),
    );
  },
});

export const applySubscriptionPlan = defineOperation({
  id: 'applySubscriptionPlan',
  method: 'POST',
  path: '/api/subscriptions/apply',
  tag: 'Subscriptions',
  summary: 'Carry out the plan that was shown',
  description:
    'As `./bin/slotstream bootstrap`. It creates first and deletes afterwards, so no delivery is missed. When the plan is no longer the one with this id, nothing is done.',
  body: z.strictObject({
    plan: z.string().max(64).describe('The `id` of the plan.'),
    prune: z.boolean().default(false),
  }),
  errors,
  audited: true,
  answers: 'object',
  schema: appliedPlan,
  run: (context) =>
    explained(async () => {
      const { plan, prune } = context.body;
      // A caller that disconnects does not stop it halfway.
      const applied = await processOf(context).applySubscriptions(plan, {
        prune,
        signal: AbortSignal.timeout(applyMs),
      });
      if (applied === undefined)
        throw conflict({
          message: 'The plan has changed since it was shown. Nothing was done: look at the present plan.',
        });
      return applied;
    }),
});

const applyMs = 60_000;

export const subscriptionPlanOperations = [planSubscriptions, applySubscriptionPlan] as const;

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
