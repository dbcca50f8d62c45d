// A store beside a sandbox, and backfill between them, without any process or delivery.
import type { UpstreamNeeds } from '#src/upstream/clients.ts';
import { backfill, type ResourceOutcome } from '#workers/sync/backfill/backfill.ts';
import type { Notice, ResourceName } from '#workers/sync/resources/registry.ts';
import type { Sources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { openTestSandbox, unchecked, type TestSandbox } from '../sandbox.ts';
import type { TestStore } from '../stores.ts';
import { clientOf } from '../sandbox/api-clients.ts';
import { allKinds, openTestSources } from './test-reconcile.ts';

interface Filling {
  readonly only?: readonly ResourceName[];
  readonly restart?: boolean;
  readonly token?: string;
  readonly sources?: Sources;
  /** Stops it once that many pages of a resource were folded. */
  readonly stopAfter?: number;
  /** Only this resource; any when absent. */
  readonly stopIn?: ResourceName;
}

export type TestBackfill = Awaited<ReturnType<typeof openTestBackfill>>;

export async function openTestBackfill(
  fresh: () => Promise<TestStore>,
  options: Parameters<typeof openTestSandbox>[0] = {},
  /** One that is open already, and stays so. */
  standing?: TestSandbox,
) {
  await using stack = new AsyncDisposableStack();
  const sandbox =
    standing ?? stack.use(await openTestSandbox({ rateLimits: false, eventTypes: true, ...options }, unchecked));
  const { store } = stack.use(await fresh());
  const kept = stack.move();
  return {
    sandbox,
    store,
    /** A client of a token, for sources of one's own. */
    client: (token: string): Sources['client'] =>
      clientOf(sandbox.handles.base_url, { as: token, fetch: sandbox.fetch }),
    async run({ only = [], restart = false, stopAfter = Infinity, stopIn, ...how }: Filling = {}) {
      /** What was asked for, in order: `GET /contacts`. */
      const calls: string[] = [];
      let skippedMs = 0;
      const needs: UpstreamNeeds = {
        fetch: async (input, init) => {
          calls.push(`${init?.method ?? 'GET'} ${new URL(String(input)).pathname}`);
          return withoutLimits(await sandbox.fetch(input, init));
        },
        // Pauses pass at once.
        nowMs: () => Date.now() + skippedMs,
        sleep: async (ms) => void (skippedMs += ms),
      };
      const sources = how.sources ?? (await openTestSources(sandbox, how.token, needs));
      const stopping = new AbortController();
      const notices: Notice[] = [];
      const report = await backfill(
        {
          store,
          sources,
          screen: privacyScreen({ eraseOnDelete: true }),
          now: () => new Date().toISOString().replace('Z', '000Z'),
          onProgress: ({ name }, counts) => {
            if (counts.pages >= stopAfter && name === (stopIn ?? name)) stopping.abort();
          },
          onNotice: (_resource, notice) => void notices.push(notice),
          onOutcome: () => undefined,
        },
        { only, restart, events: allKinds, signal: stopping.signal },
      );
      const outcomes: Readonly<Partial<Record<ResourceName, ResourceOutcome>>> = Object.fromEntries(
        report.resources.map((outcome) => [outcome.name, outcome]),
      );
      return { report, outcomes, notices, calls };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A world of thousands of calls, of which the limit allows some hundreds a minute. */
function withoutLimits(answer: Response): Response {
  const headers = new Headers(answer.headers);
  for (const name of ['limit', 'remaining', 'reset']) headers.delete(`x-ratelimit-${name}`);
  return new Response(answer.body, { status: answer.status, headers });
}
