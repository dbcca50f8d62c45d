// Lists that cannot be read: refused, invalid, empty or failing in the middle, in any combination. Everything else is mirrored, nothing is
// deleted that exists, and a later run completes the mirror.
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { forms, type Form } from '#src/sandbox/world/service.ts';
import { privacyScreen } from '#workers/fold/privacy/screen.ts';
import { reconcile } from '#workers/sync/reconcile/reconcile.ts';
import type { Store } from '#src/store/contract.ts';
import { openTestBackfill } from '../../harness/mirror/test-backfill.ts';
import { allKinds, openTestSources } from '../../harness/mirror/test-reconcile.ts';
import { mirrorDifferences } from '../../harness/mirror/mirror-comparison.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';
import { openTestSandbox, unchecked, type TestSandbox } from '../../harness/sandbox.ts';
import { freshMemory } from '../../harness/stores.ts';

/** By path, the tables that lack rows while it cannot be read. */
const lists = {
  '/organization_memberships': ['organization_memberships', 'users', 'event_types'],
  '/contacts/custom_field_definitions': ['custom_field_definitions'],
  '/contacts': ['contacts', 'contact_emails', 'contact_phone_numbers', 'contact_custom_fields'],
  '/event_types': ['event_types'],
  '/routing_forms': ['routing_forms', 'routing_form_submissions', 'routing_form_answers'],
  '/routing_form_submissions': ['routing_form_submissions', 'routing_form_answers'],
  '/scheduled_events': ['scheduled_events', 'invitees', 'invitee_answers', 'no_shows'],
  '/scheduled_events/*/invitees': ['invitees', 'invitee_answers', 'no_shows'],
  '/meeting_recaps': ['meeting_recaps'],
  '/meeting_recaps/*': ['meeting_recaps'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Path = keyof typeof lists;

const denied = { title: 'Permission Denied', message: 'You do not have permission to access this resource.' };
const failures = {
  forbidden: { status: 403, body: denied },
  'not found': { status: 404, body: { title: 'Resource Not Found', message: 'The server could not find it.' } },
  'not authenticated': { status: 401, body: { title: 'Unauthenticated', message: 'The access token is invalid' } },
  invalid: { status: 400, body: { title: 'Invalid Argument', message: 'The supplied parameters are invalid.' } },
  'a server error': { status: 500 },
  'a page of HTML': { status: 502, body: '<html>502 Bad Gateway</html>' },
  'no collection': { status: 200, body: { items: [] } },
  'odd records': { status: 200, body: { collection: [7, null, { uri: 7 }] } },
  empty: { status: 200, body: { collection: [] } },
  'failing in the middle': { status: 503, page: 2 },
} as const;
type Failure = keyof typeof failures;

const fault = fc.record({
  path: fc.constantFrom(...(Object.keys(lists) as Path[])),
  failure: fc.constantFrom(...(Object.keys(failures) as Failure[])),
});
const combination = fc.uniqueArray(fault, { selector: ({ path }) => path, minLength: 1, maxLength: 4 });

describe('lists that cannot be read', () => {
  const sandboxes = new Map<string, TestSandbox>();
  afterAll(async () => void (await Promise.all(sandboxes.values().map((one) => one[Symbol.asyncDispose]()))));

  /** With more contacts than a page has, where the second page is to fail. */
  async function sandboxFor(as: Form, faults: readonly { readonly failure: Failure }[]): Promise<TestSandbox> {
    const contacts = faults.some(({ failure }) => failure === 'failing in the middle') ? 105 : 12;
    const key = `${as} ${contacts}`;
    const size = { contacts, bookings: 5, rateLimits: false, eventTypes: true };
    const sandbox = sandboxes.get(key) ?? (await openTestSandbox({ as, ...size }, unchecked));
    sandboxes.set(key, sandbox);
    return sandbox;
  }

  it('cost nothing but themselves, and a later run completes them', { timeout: propertyTimeoutMs }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...forms), combination, async (as, faults) => {
        const sandbox = await sandboxFor(as, faults);
        await using world = await openTestBackfill(freshMemory, {}, sandbox);
        const recapsOf = [sandbox.handles.users.owner];
        const differences = (except: readonly string[] = []) =>
          mirrorDifferences(world.store, sandbox, { recapsOf, except });
        const setFaults = (answers: readonly object[]) => sandbox.control('POST', '/faults', { answers });
        const answers = faults.map(({ path, failure }) => ({ path, method: 'GET', ...failures[failure] }));
        const isReported = faults.some(({ path, failure }) => isSeen(sandbox, path, failure));

        await setFaults(answers);
        const first = await world.run();
        const leftOut = first.report.resources.reduce((sum, { counts }) => sum + counts.left_out, 0);
        const quarantined = first.report.resources.reduce((sum, { counts }) => sum + counts.quarantined, 0);
        expect(await differences(faults.flatMap(({ path }) => lists[path]))).toEqual([]);
        expect(leftOut + quarantined > 0).toBe(isReported);

        await setFaults([]);
        await world.run();
        expect(await differences()).toEqual([]);

        await setFaults(answers);
        const report = await compare(world.store, sandbox);
        expect(await differences()).toEqual([]);
        expect(report.unreadable.length + report.quarantined > 0).toBe(isReported);
        await setFaults([]);
        expect(await compare(world.store, sandbox)).toMatchObject({ drift: {}, unreadable: [] });
      }),
      runs(10),
    );
  });
});

/** An empty list looks as if there were nothing, and some lists have one page, or are not read in this form. */
function isSeen({ handles, service }: TestSandbox, path: Path, failure: Failure): boolean {
  const isPublic = service.options.as === 'public';
  if (path === '/meeting_recaps/*' && !isPublic) return false;
  if (failure === 'empty') return path === '/meeting_recaps/*';
  if (failure === 'failing in the middle')
    return path === '/contacts' && (service.state.contacts.get(handles.organization)?.size ?? 0) > 100;
  return true;
}

/** With every delete allowed, so that nothing but the answers of the service protects a row. */
async function compare(store: Store, sandbox: TestSandbox) {
  let skippedMs = 0;
  const sources = await openTestSources(sandbox, undefined, {
    fetch: sandbox.fetch,
    nowMs: () => Date.now() + skippedMs,
    sleep: async (ms) => void (skippedMs += ms),
  });
  return await reconcile(
    { store, sources, screen: privacyScreen({ eraseOnDelete: true }), now: () => new Date() },
    { scope: { kind: 'full' }, events: allKinds, repair: true, allowDeletes: true },
  );
}
