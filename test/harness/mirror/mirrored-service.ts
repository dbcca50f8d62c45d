// The sandbox behind a mirror: contacts are read from the mirror through the admin listener, everything else goes to the sandbox,
// and what it changes reaches the mirror as webhooks. Each organization has a mirror of its own, as each has a token of its own.
import { commonError, publicErrors } from '#schemas/errors.ts';
import type { SandboxOptions } from '#src/sandbox/sandbox.ts';
import { bearer } from './api-app.ts';
import { openTestBackfill } from './test-backfill.ts';
import { openSubscriber } from '../sandbox/subscriber.ts';
import { readMirror } from './read-api.ts';
import { openTestSandbox, type Answer, type CallOptions, type TestSandbox } from '../sandbox.ts';
import { ingestBodies, type TestStore } from '../stores.ts';

export async function openMirroredService(
  fresh: () => Promise<TestStore>,
  options: SandboxOptions,
): Promise<TestSandbox> {
  await using stack = new AsyncDisposableStack();
  const sandbox = stack.use(await openTestSandbox(options));
  const kept = stack.move();
  const mirrors = new Map<string, ReturnType<typeof openMirror>>();
  const mirrorFor = (as: CallOptions['as']) => {
    const whose = as === 'enterprise' ? as : 'owner';
    const mirror = mirrors.get(whose) ?? openMirror({ kept, sandbox, fresh }, whose);
    mirrors.set(whose, mirror);
    return mirror;
  };

  async function read(path: string, { as, query, headers = {} }: CallOptions): Promise<Answer> {
    const { reader } = await mirrorFor(as);
    const url = new URL(path, 'http://mirror.test');
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
    return inSpecifiedWords(await reader.get(url.href, { ...(as === null ? {} : bearer), ...headers }));
  }

  return {
    ...sandbox,
    async call(method, path, more = {}) {
      const { pathname } = new URL(path, 'http://mirror.test');
      if (!/^(\/api)?\/contacts\b/.test(pathname)) return sandbox.call(method, path, more);
      if (method === 'GET') return read(path, more);
      const answer = await sandbox.call(method, path, more);
      await (await mirrorFor(more.as)).hear();
      const written: string | undefined = answer.body?.resource?.uri;
      return written === undefined ? answer : { ...(await read(written, more)), status: answer.status };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The mirror refuses by the titles of the public service; the rows of the specification expect its own. */
function inSpecifiedWords({ status, headers, body }: Answer): Answer {
  const isPublic = Object.values(publicErrors).some(({ title }) => title === body?.title);
  return { status, headers, body: isPublic ? { ...body, ...commonError } : body };
}

async function openMirror(
  { kept, sandbox, fresh }: { kept: AsyncDisposableStack; sandbox: TestSandbox; fresh: () => Promise<TestStore> },
  whose: 'owner' | 'enterprise',
) {
  const events = ['contact.created', 'contact.updated', 'contact.deleted'] as const;
  // There is no subscription for the other organization: it is read again.
  const ear =
    whose === 'owner'
      ? kept.use(await openSubscriber(sandbox, { events: [...events], scope: 'organization' }))
      : undefined;
  const world = kept.use(await openTestBackfill(fresh, {}, sandbox));
  const fill = () =>
    world.run({ only: ['custom_field_definitions', 'contacts'], token: sandbox.handles.tokens[whose], restart: true });
  await fill();
  return {
    reader: kept.use(await readMirror(world.store)),
    /** Brings it up to date. */
    async hear(): Promise<void> {
      if (ear === undefined) await fill();
      else for (const body of await ear.heard()) await ingestBodies(world.store, [JSON.stringify(body)]);
    },
  };
}
