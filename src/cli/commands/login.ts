// `login`: authorizes Slotstream to call the service for a user (OAuth), and lists the users who did.
import { slotstream } from '#src/base/command.ts';
import { randomBytes } from 'node:crypto';
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import { contractOf } from '#schemas/events.ts';
import type { Config } from '#src/config/load.ts';
import { logIn } from '#src/upstream/login-flow.ts';
import type { Login } from '#src/upstream/oauth/token-file.ts';
import { loginsOf, defaultNeeds } from '#src/upstream/clients.ts';
import { renderTable } from '#src/cli/terminal.ts';
import { asJson, defineVerb, flag, wholeNumberFrom, type VerbContext } from '#src/cli/verb.ts';

const answerTimeoutMs = 600_000;

export const login = defineVerb({
  examples: [
    'slotstream login           # prints a URL to open in a browser, and waits',
    'slotstream login --list    # lists the users who are logged in',
    'slotstream login --port 8123    # a fixed port, for example for ssh -L 8123:127.0.0.1:8123 from the machine with the browser',
  ],
  arguments: {},
  options: {
    list: { flags: '--list', help: 'list the users who are logged in', reads: flag },
    port: {
      flags: '--port <n>',
      help: 'port on 127.0.0.1 that the browser is redirected to (default: any free port)',
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
      context.notify('API_TOKEN is set and remains in use for everything except meeting recaps.\n');
    const show = (url: string): void => {
      context.notify('Open this URL in a browser, as the user who logs in:\n');
      context.notify(`  ${url}\n`);
      context.notify('Waiting for the browser (Ctrl-C stops) …');
    };
    const signal = AbortSignal.any([context.stopping(), AbortSignal.timeout(answerTimeoutMs)]);
    const made = await logIn({ ...defaultNeeds, nowMs: () => context.now().getTime(), randomBytes, show }, config, {
      scopes: scopesFor(config),
      port,
      signal,
    });
    if (json) context.out(JSON.stringify(loginData(made)));
    else context.out(`${made.name ?? made.user} is logged in (${made.scopes.join(', ')}).`);
    return 0;
  },
});

/** The scopes that the chosen kinds require, and no more. */
function scopesFor({ events, api }: Config): readonly ApiScope[] {
  const needed = new Set<ApiScope>(['webhooks:write', ...events.map((kind) => contractOf(kind).requiredCallerScope)]);
  if (api.groupUri !== undefined) needed.add('groups');
  return everyScope.filter((scope) => needed.has(scope));
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
