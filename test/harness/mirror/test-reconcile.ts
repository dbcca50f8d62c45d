// A store beside a sandbox, and reconcile between them, without any process or delivery.
import type { Drift } from '#workers/sync/reconcile/drift-report.ts';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import { reconcile, type Scope, type ReconcileNeeds } from '#workers/sync/reconcile/reconcile.ts';
import type { UpstreamNeeds } from '#src/upstream/clients.ts';
import { openSources, type Sources } from '#workers/sync/sources.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { openTestSandbox, unchecked, type TestSandbox } from '../sandbox.ts';
import type { TestStore } from '../stores.ts';

export const allKinds = Object.keys(eventKinds).filter(isEventKind);

export type TestReconcile = Awaited<ReturnType<typeof openTestReconcile>>;

interface How {
  readonly repair: boolean;
  readonly scope: Scope;
  readonly allowDeletes: boolean;
  readonly token: string;
  /** What the service answers, bent on its way. */
  readonly fetch: typeof fetch;
}

/**
 * The service's time is five minutes past a half hour, when no meeting begins or ends: what it shows changes with them. Each run is two
 * seconds later than the one before: the service's times have whole seconds, and a row observed in the same second may be new.
 */
function createServiceClock() {
  const halfHourMs = 1_800_000;
  let offsetMs = 300_000 - (Date.now() % halfHourMs);
  return { now: () => Date.now() + offsetMs, advance: () => void (offsetMs += 2_000) };
}

/** What a token shows; that of the owner unless given. */
export function openTestSources(
  { handles }: TestSandbox,
  token: string | undefined,
  needs: UpstreamNeeds,
): Promise<Sources> {
  const api = { baseUrl: handles.base_url, token: token ?? handles.tokens.owner };
  const nothing = { oauth: undefined, organizationUri: undefined, userUri: undefined, groupUri: undefined };
  return openSources({ dataDir: '/nonexistent', api: { ...api, ...nothing } }, needs);
}

export async function openTestReconcile(
  fresh: () => Promise<TestStore>,
  options: Parameters<typeof openTestSandbox>[0] = {},
) {
  await using stack = new AsyncDisposableStack();
  const clock = createServiceClock();
  const sandbox = stack.use(
    await openTestSandbox({ rateLimits: false, eventTypes: true, ...options }, { ...unchecked, realMs: clock.now }),
  );
  const { store } = stack.use(await fresh());
  const needsOf = async (
    { token, fetch = sandbox.fetch }: Partial<How>,
    more: Partial<ReconcileNeeds> = {},
  ): Promise<ReconcileNeeds> => {
    clock.advance();
    return {
      store,
      sources: await openTestSources(sandbox, token, { fetch }),
      screen: privacyScreen({ eraseOnDelete: true }),
      now: () => new Date(),
      ...more,
    };
  };
  const kept = stack.move();
  return {
    sandbox,
    store,
    needs: (more?: Partial<ReconcileNeeds>, fetch?: How['fetch']) => needsOf({ ...(fetch && { fetch }) }, more),
    /** Compares, and answers what was found, each row in a line. */
    async run({ repair = false, scope = { kind: 'full' }, allowDeletes = false, ...how }: Partial<How> = {}) {
      const drift: Drift[] = [];
      const onDrift = (one: Drift): void => void drift.push(one);
      const report = await reconcile(await needsOf(how, { onDrift }), {
        scope,
        events: allKinds,
        repair,
        allowDeletes,
      });
      const lines = drift.map(({ how, kind, uri, fields }) => [how, kind, uri, ...fields].join(' ')).toSorted();
      return { report, drift, lines };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
