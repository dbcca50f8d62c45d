// The plan of the webhook subscriptions, against a sandbox: the same as `bootstrap --plan`.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSubscriptionPlan } from '#src/api/mirror/mirror-process.ts';
import { mirrorProcess } from '#src/app/mirror-process.ts';
import { loadConfig } from '#src/config/load.ts';
import { HttpError, withStatusTitle } from '#src/http/http-error.ts';
import { openReadApi } from '../../harness/mirror/read-api.ts';
import { testProcess } from '../../harness/mirror/test-process.ts';
import { openTestSandbox } from '../../harness/sandbox.ts';
import { oneEngine, type TestStore } from '../../harness/stores.ts';

const key = 'a-signing-key-that-is-long-enough';

async function openPlanned(fresh: () => Promise<TestStore>, more: Record<string, string> = {}) {
  const sandbox = await openTestSandbox({ rateLimits: false, contacts: 1, bookings: 0 });
  const settings = {
    DATA_DIR: await mkdtemp(join(tmpdir(), 'slotstream-plan-')),
    API_BASE_URL: sandbox.handles.base_url,
    API_TOKEN: sandbox.handles.tokens.owner,
    PUBLIC_URL: 'http://127.0.0.1:8080',
    SIGNING_KEYS: key,
    EVENTS: 'contact.created,contact.updated,invitee.created',
    ...more,
  };
  const { store, ...rest } = await fresh();
  const { queue } = testProcess();
  const unused = async (): Promise<never> => Promise.reject(new Error('not used'));
  const queueOnly = { ...queue, engine: 'embedded' as const, add: unused, check: unused, ping: unused, close: unused };
  const config = loadConfig(settings);
  const process = mirrorProcess({
    config,
    store,
    sinks: async () => [],
    queue: { ...queueOnly, work: () => ({ close: unused }) },
  });
  const api = await openReadApi(async () => ({ store, ...rest }), { process });
  return {
    api,
    sandbox,
    active: () => [...sandbox.service.state.subscriptions.values()].filter(({ state }) => state === 'active'),
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

for (const { name, available, fresh } of oneEngine)
  describe.runIf(available)(`the plan of the subscriptions on ${name}`, () => {
    it('is shown without a change', async () => {
      await using world = await openPlanned(fresh);
      const plan = await readSubscriptionPlan(world.api.context);
      expect(plan).toMatchObject({
        pending: true,
        conclusion: 'Plan: 2 to create, 0 to delete, 0 to keep.',
        subscriptions: [],
      });
      expect(plan.steps).toMatchObject([
        { action: 'create', families: ['invitee'], scope: 'organization' },
        { action: 'create', families: ['contact'], scope: 'organization' },
      ]);
      expect(world.active()).toEqual([]);
      expect(JSON.stringify(plan)).not.toContain(key);
    });

    it('says what is missing: the address, the key, or a service that answers', async () => {
      await using bare = await openPlanned(fresh, { PUBLIC_URL: '' });
      const refusalOf = async ({ api }: typeof bare) => {
        const error: unknown = await readSubscriptionPlan(api.context).catch((thrown: unknown) => thrown);
        return error instanceof HttpError ? withStatusTitle(error) : expect.unreachable('it is refused');
      };
      expect(await refusalOf(bare)).toMatchObject({
        status: 409,
        message: expect.stringContaining('PUBLIC_URL is not set'),
      });
      await using refused = await openPlanned(fresh, { API_TOKEN: 'wrong' });
      const denied = await refusalOf(refused);
      expect(denied).toMatchObject({ status: 409, message: expect.stringContaining('token') });
      expect(denied.message).not.toContain('wrong');
    });
  });
