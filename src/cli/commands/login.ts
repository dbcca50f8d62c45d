// `login`: authorizes Slotstream to call the service for a user (OAuth), and lists the users who did.
import { z } from 'zod';
import type { ApiScope } from '#schemas/api-scope.ts';
import { allEventKinds } from '#schemas/events.ts';
import { slotstream } from '#src/base/command.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { isLoopback } from '#src/base/loopback.ts';
import { logIn } from '#src/upstream/login-flow.ts';
import { neededScopes, scopePurposes } from '#src/upstream/needed-scopes.ts';
import type { Login } from '#src/upstream/oauth/token-file.ts';
import { loginsOf, defaultNeeds } from '#src/upstream/clients.ts';
import { askForRedirect } from '#src/cli/pasted-redirect.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, wholeNumberFrom, type VerbContext } from '#src/cli/verb.ts';

const answerTimeoutMs = 600_000;

export const login = defineVerb({
  examples: [
    'slotstream login           # prints a URL to open in a browser, and waits',
    'slotstream login --list    # lists the users who are logged in',
    'slotstream login --port 8123    # a fixed port, for example for ssh -L 8123:localhost:8123 from the machine with the browser',
    'slotstream login --redirect-uri https://example.com/callback    # asks for the address that the browser ends at',
  ],
  arguments: {},
  options: {
    list: { flags: '--list', help: 'list the users who are logged in', reads: flag },
    port: {
      flags: '--port <n>',
      help: 'port of http://localhost:<n>/callback, where the browser is sent back to (default: any free port)',
      reads: wholeNumberFrom(0)
        .refine((value) => value <= 65_535, 'a port up to 65535')
        .optional(),
    },
    redirectUri: {
      flags: '--redirect-uri <uri>',
      help: 'the redirect URI that the application is registered with; with https you paste the address that the browser ends at',
      reads: z.string().refine(isRedirectUri, 'an https address, or an http address of this machine').optional(),
    },
    json: asJson,
  },

  async run(context, { list, port, redirectUri, json }) {
    if (list) return listLogins(context, json);
    if (port !== undefined && redirectUri !== undefined)
      throw new SlotstreamError('usage', '--port and --redirect-uri cannot be combined.', {
        hint: 'Write the port into the redirect URI.',
      });
    const config = context.config();
    if (config.api.token !== undefined)
      context.notify('API_TOKEN is set: logins are used only for the recaps of other users.\n');
    const show = (url: string): void => {
      context.notify('Open this URL in a browser, as the user who logs in:\n');
      context.notify(`  ${url}\n`);
      context.notify(
        redirectUri?.startsWith('https:')
          ? `The browser ends at ${redirectUri}, whatever it shows there. Paste the whole address here (Ctrl-C stops):`
          : 'Waiting for the browser (Ctrl-C stops) …',
      );
    };
    const { login: made, refused } = await logIn(
      {
        ...defaultNeeds,
        nowMs: () => context.now().getTime(),
        show,
        askForRedirect: (...asked) => askForRedirect(context, ...asked),
      },
      config,
      {
        scopes: neededScopes(config, config.stated.events ?? allEventKinds),
        redirectUri: redirectUri ?? `http://localhost:${port ?? 0}/callback`,
        signal: AbortSignal.any([context.stopping(), AbortSignal.timeout(answerTimeoutMs)]),
      },
    );
    if (json) context.out(JSON.stringify({ ...loginData(made), refused_scopes: refused }));
    else context.out(`${made.name ?? made.user} is logged in (${made.scopes.join(', ')}).`);
    const purposes: Readonly<Partial<Record<ApiScope, string>>> = scopePurposes;
    for (const scope of refused)
      context.notify(`! ${scope} was not granted. It is needed for: ${purposes[scope] ?? 'some calls'}.`);
    if (refused.length > 0)
      context.notify(
        `→ Select what you need in the settings of the OAuth application at the service, then log in again: ${slotstream} login`,
      );
    return 0;
  },
});

/** RFC 6749: without a fragment. Over http the code would be readable on its way to any other machine. */
function isRedirectUri(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || text.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

const loginData = ({ user, organization, scopes }: Login) => ({ user, organization, scopes });

function listLogins(context: VerbContext, json: boolean): 0 {
  const config = context.config();
  const logins = config.api.oauth === undefined ? [] : loginsOf(config, config.api.oauth);
  if (json) context.out(JSON.stringify(logins.map((one) => ({ ...loginData(one), logged_in_at: one.loggedInAt }))));
  else if (logins.length === 0) context.out(`No user is logged in. Log in: ${slotstream} login`);
  else
    context.out(
      renderTable(
        ['user', 'URI', 'since', 'scopes'],
        logins.map(({ name, user, loggedInAt, scopes }) => [name ?? '–', user, loggedInAt, scopes.join(' ')]),
      ),
    );
  return 0;
}
