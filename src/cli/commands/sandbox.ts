// `sandbox`: runs the scheduling service on this machine, for development and experiments.
import { slotstream } from '#src/base/command.ts';
import { once } from 'node:events';
import { z } from 'zod';
import { SlotstreamError } from '#src/base/errors.ts';
import { openSandbox } from '#src/sandbox/sandbox.ts';
import type { Sandbox, SandboxOptions } from '#src/sandbox/sandbox.ts';
import { sandboxForm } from '#src/cli/sandbox-form.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, wholeNumberFrom, type VerbContext } from '#src/cli/verb.ts';

const upTo = (most: number) =>
  wholeNumberFrom(0).refine((value) => value <= most, `a whole number up to ${most.toLocaleString('en')}`);

export const sandbox = defineVerb({
  examples: [
    'slotstream sandbox',
    'slotstream sandbox --live 2                    # two bookings, cancellations or no-shows per second',
    'slotstream sandbox --as public                 # answers and webhooks in the form of the public service',
    'slotstream sandbox --contacts 100000 --seed 7  # the same hundred thousand every time',
    'slotstream sandbox --json > sandbox.json &     # addresses and tokens for a script, in its first line',
  ],
  arguments: {},
  options: {
    port: {
      flags: '--port <n>',
      help: 'the port it listens on (default: 8090; 0: any free port)',
      reads: upTo(65_535).default(8090),
    },
    seed: {
      flags: '--seed <n>',
      help: 'the same seed creates the same data (default: 1)',
      reads: wholeNumberFrom(0).default(1),
    },
    contacts: {
      flags: '--contacts <n>',
      help: 'contacts it starts with (default: 50)',
      reads: upTo(100_000).default(50),
    },
    bookings: {
      flags: '--bookings <n>',
      help: 'bookings it starts with (default: 30)',
      reads: upTo(100_000).default(30),
    },
    routed: {
      flags: '--routed <percent>',
      help: 'how many of these bookings began with a routing form (default: 30)',
      reads: upTo(100).default(30),
    },
    live: {
      flags: '--live <rate>',
      help: 'live activities per second (0.5: one every two seconds)',
      reads: z
        .string()
        .regex(/^\d{1,4}(\.\d{1,3})?$/, 'a rate up to 9999')
        .transform(Number)
        .default(0),
    },
    as: sandboxForm,
    eventTypes: { flags: '--event-types', help: 'accept subscriptions to event_type.* too', reads: flag },
    rateLimits: {
      flags: '--no-rate-limits',
      help: 'never respond with 429 for too many requests',
      reads: z.boolean().default(true),
    },
    json: asJson,
  },

  async run(context, { json, live, routed, ...options }) {
    const stopping = context.stopping();
    await using sandbox = await opened({ ...options, routed: routed / 100 }, context);
    if (json) context.out(JSON.stringify(sandbox.handles));
    else introduce(context, sandbox);
    if (live > 0) void sandbox.live(live, stopping);
    if (!stopping.aborted) await once(stopping, 'abort');
    return 0;
  },
});

async function opened(options: SandboxOptions, { log, notify }: VerbContext): Promise<Sandbox> {
  try {
    return await openSandbox(options, {
      report: (err) => log().error({ err }, 'the sandbox failed'),
      progress: notify,
    });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE')) throw cause;
    throw new SlotstreamError('config', `127.0.0.1:${options.port} is already in use.`, {
      hint: 'Stop the process that uses it, or choose another port with --port (0: any free port).',
      cause,
    });
  }
}

function introduce({ out }: VerbContext, { handles }: Sandbox): void {
  const { base_url, tokens, users, organization, event_types, oauth, auth_url } = handles;
  const rows = Object.entries({
    organization,
    ...users,
    group: handles.group,
    ...prefixed('event type ', event_types),
  });
  out(`The sandbox listens on ${base_url}

To mirror it, put these lines into .env, then run: ${slotstream} start
API_BASE_URL=${base_url}
API_TOKEN=${tokens.owner}
PUBLIC_URL=http://127.0.0.1:8080

With OAuth, these instead of API_TOKEN (any signing key of 16 characters or more works):
OAUTH_CLIENT_ID=${oauth.client_id}
OAUTH_CLIENT_SECRET=${oauth.client_secret}
AUTH_URL=${auth_url}
SIGNING_KEYS=a-signing-key-for-the-sandbox
`);
  out(
    renderTable(
      ['what', 'URI'],
      rows.map(([name, uri]) => [name, uri]),
    ),
  );
  out('');
  out(renderTable(['token of', 'Authorization: Bearer …'], Object.entries(tokens)));
  out(`
Try:
  curl -H 'Authorization: Bearer ${tokens.owner}' '${base_url}/contacts?count=2'
  curl -X POST ${base_url}/_sandbox/routing_form_submissions
Look:
  ${base_url}/_sandbox/docs          its operations and controls
  ${base_url}/_sandbox/deliveries    every webhook it sent, with the response
Ctrl-C stops it; nothing is saved.`);
}

function prefixed(prefix: string, record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [prefix + name, value]));
}
