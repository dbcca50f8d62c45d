// `login`: lets a user allow Slotstream to call the service for them (OAuth), and shows who did.
import { randomBytes } from 'node:crypto';
import { apiScopes, type ApiScope } from '#schemas/api-scope.ts';
import { contractOf } from '#schemas/events.ts';
import type { Config } from '#src/config/load.ts';
import { logIn } from '#src/upstream/login-flow.ts';
import type { Login } from '#src/upstream/oauth/token-file.ts';
import { loginsOf, defaultNeeds } from '#src/upstream/clients.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, wholeNumberFrom, type VerbContext } from '#src/cli/verb.ts';

const patienceMs = 600_000;

export const login = defineVerb({
  examples: [
    'slotstream login           # prints an address to open in a browser, and waits',
    'slotstream login --list    # who is logged in',
    'slotstream login --port 8123    # a port of your choice, as for ssh -L 8123:127.0.0.1:8123 from where the browser is',
  ],
  arguments: {},
  options: {
    list: { flags: '--list', help: 'show who is logged in', reads: flag },
    port: {
      flags: '--port <n>',
      help: 'port of 127.0.0.1 that the browser is sent back to (default: any free one)',
      reads: wholeNumberFrom(0)
        .refine((value) => value <= 65_535, 'a port up to 65535')
        .default(0),
    },
    json: asJson,
  },

  async run(context, { list, port, json }) {
    if (list) return listLogins(context, json);
    const config = context.config();
    if (config.api.token !== undefined)
      context.say('API_TOKEN is set and stays in use for everything but meeting recaps.\n');
    const show = (url: string): void => {
      context.say('Open this address in a browser, as the user who is to log in:\n');
      context.say(`  ${url}\n`);
      context.say('Waiting for the answer (Ctrl-C stops) …');
    };
    const signal = AbortSignal.any([context.stopping(), AbortSignal.timeout(patienceMs)]);
    const made = await logIn({ ...defaultNeeds, nowMs: () => context.now().getTime(), randomBytes, show }, config, {
      scopes: scopesFor(config),
      port,
      signal,
    });
    if (json) context.out(JSON.stringify(shown(made)));
    else context.out(`${made.name ?? made.user} is logged in (${made.scopes.join(', ')}).`);
    return 0;
  },
});

/** What mirroring the chosen kinds takes, and no more. */
function scopesFor({ events, api }: Config): readonly ApiScope[] {
  const needed = new Set<ApiScope>(['webhooks:write', ...events.map((kind) => contractOf(kind).requiredCallerScope)]);
  if (api.groupUri !== undefined) needed.add('groups');
  return (Object.keys(apiScopes) as ApiScope[]).filter((scope) => needed.has(scope));
}

const shown = ({ user, organization, scopes }: Login) => ({ user, organization, scopes });

function listLogins(context: VerbContext, json: boolean): 0 {
  const config = context.config();
  const logins = config.api.oauth === undefined ? [] : loginsOf(config, config.api.oauth);
  if (json) context.out(JSON.stringify(logins.map((one) => ({ ...shown(one), logged_in_at: one.loggedInAt }))));
  else if (logins.length === 0) context.out('Nobody is logged in. Log in: npx slotstream login');
  else
    context.out(
      renderTable(
        ['user', 'URI', 'since', 'scopes'],
        logins.map(({ name, user, loggedInAt, scopes }) => [name ?? '–', user, loggedInAt, scopes.join(' ')]),
      ),
    );
  return 0;
}
