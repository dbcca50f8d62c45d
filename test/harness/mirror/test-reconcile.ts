// A store beside a sandbox, and reconcile between them, without any process or delivery.
import type { Drift } from '#workers/sync/reconcile/drift-report.ts';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import { reconcile, type ReconcileReport, type Scope, type ReconcileNeeds } from '#workers/sync/reconcile/reconcile.ts';
import { openSources, type Sources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/privacy/screen.ts';
import { openTestSandbox, unchecked, type TestSandbox } from '../sandbox.ts';
import type { TestStore } from '../stores.ts';

export const allKinds = Object.keys(eventKinds).filter(isEventKind);

export interface TestReconcile extends AsyncDisposable {
  readonly sandbox: TestSandbox;
  readonly store: TestStore['store'];
  needs(more?: Partial<ReconcileNeeds>, fetch?: How['fetch']): Promise<ReconcileNeeds>;
  /** Compares, and answers what was found, each row in a line. */
  run(how?: Partial<How>): Promise<Found>;
}

export interface How {
  readonly repair: boolean;
  readonly scope: Scope;
  readonly allowDeletes: boolean;
  readonly token: string;
  /** What the service answers, bent on its way. */
  readonly fetch: typeof fetch;
}

export interface Found {
  readonly report: ReconcileReport;
  readonly drift: readonly Drift[];
  readonly lines: readonly string[];
}

/** The service's time is five minutes past a half hour, when no meeting begins or ends: what it shows changes with them. */
export function awayFromMeetings(): () => number {
  const halfHourMs = 1_800_000;
  const offsetMs = 300_000 - (Date.now() % halfHourMs);
  return () => Date.now() + offsetMs;
}

export async function openTestReconcile(
  fresh: () => Promise<TestStore>,
  options: Parameters<typeof openTestSandbox>[0] = {},
): Promise<TestReconcile> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(
    await openTestSandbox(
      { rateLimits: false, eventTypes: true, ...options },
      { ...unchecked, realMs: awayFromMeetings() },
    ),
  );
  const { store } = stack.use(await fresh());
  const sourcesFor = (token: string, fetch: How['fetch'] = sandbox.fetch) =>
    openSources(
      {
        dataDir: '/nonexistent',
        api: {
          baseUrl: sandbox.handles.base_url,
          token,
          oauth: undefined,
          organizationUri: undefined,
          userUri: undefined,
          groupUri: undefined,
        },
      },
      { fetch },
    );
  const needs = async (sources: Promise<Sources>, more: Partial<ReconcileNeeds> = {}): Promise<ReconcileNeeds> => ({
    store,
    sources: await sources,
    screen: privacyScreen({ eraseOnDelete: true }),
    now: () => new Date(),
    ...more,
  });
  const kept = stack.move();
  return {
    sandbox,
    store,
    needs: (more, fetch) => needs(sourcesFor(sandbox.handles.tokens.owner, fetch), more),
    async run({ repair = false, scope = { kind: 'full' } as Scope, allowDeletes = false, token, fetch } = {}) {
      const drift: Drift[] = [];
      const onDrift = (one: Drift): void => void drift.push(one);
      const report = await reconcile(
        await needs(sourcesFor(token ?? sandbox.handles.tokens.owner, fetch), { onDrift }),
        {
          scope,
          events: allKinds,
          repair,
          allowDeletes,
        },
      );
      const lines = drift.map(({ how, kind, uri, fields }) => [how, kind, uri, ...fields].join(' ')).toSorted();
      return { report, drift, lines };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
