// The pages of the authorization server: the choice of a user, and errors. They load no resources and run no scripts.
import { html, raw } from 'hono/html';
import type { UserResource } from '#schemas/resources/user.ts';
import type { State } from '#src/sandbox/world/service.ts';
import { hintedUser, type TrustedClient, type Wish } from './authorize.ts';
import { sha256 } from './tokens.ts';
import type { OAuthError, Parameters } from './request.ts';

type Html = ReturnType<typeof html>;

/** Users beyond this limit sign in by `login_hint`. */
const mostUsers = 200;

export interface Consent {
  readonly state: State;
  readonly trusted: TrustedClient;
  readonly wish: Wish;
  readonly parameters: Parameters;
}

export function consentPage({ state, trusted: { client, target }, wish, parameters }: Consent): Html {
  const forwarded = [...parameters].filter(([name]) => name !== 'user' && name !== 'deny');
  const hinted = hintedUser(state, parameters);
  const others = [...state.users.values().take(mostUsers)].filter((user) => user !== hinted);
  const section = (title: string, users: readonly UserResource[]): Html | '' =>
    users.length === 0 ? '' : html`<section><h2>${title}</h2>${users.map((user) => userButton(state, user))}</section>`;
  return page(
    `${client.name} requests access`,
    html`<p>Choose the user whose data <strong>${client.name}</strong> may access. The browser then returns to <code>${target.host}</code>.</p>
      <details>
        <summary>Permissions (${wish.scopes.length})</summary>
        <ul class="scopes">
          ${wish.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
        </ul>
      </details>
      <form method="post" action="/oauth/authorize">
        ${forwarded.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        ${section('Requested user', hinted ? [hinted] : [])}
        ${[...state.organizations.values()].map(({ uri, name, plan, trial }) =>
          section(
            `${name} · ${plan} plan${trial ? ', on trial' : ''}`,
            others.filter((user) => user.current_organization === uri),
          ),
        )}
        <button class="quiet" name="deny" value="yes">Deny access</button>
      </form>`,
  );
}

function userButton(state: State, { uri, name, email }: UserResource): Html {
  const role = state.memberships.of('user', uri)[0]?.role ?? 'user';
  return html`<button name="user" value="${uri}">
    <span class="name">${name}</span> <span class="role">${role}</span> <span class="email">${email}</span>
  </button>`;
}

export function errorPage({ code, message }: OAuthError): Html {
  return page(
    'This request cannot be processed',
    html`<p>${message}</p>
      <p><code>${code}</code></p>
      <p>Nothing was sent to the application, because its address could not be trusted.</p>`,
  );
}

function page(title: string, content: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>${raw(style)}</style>
      </head>
      <body>
        <main>
          <p class="notice">Sandbox · all people are fictional</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`;
}

const style = `
:root { color-scheme: light dark; --line: light-dark(#d5dce0, #36454d); --soft: light-dark(#52636c, #a3b4bc); --accent: light-dark(#0a6b78, #5ecad7); }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif; background: light-dark(#f4f7f8, #10181c); color: light-dark(#16242b, #e8eff2); }
main { max-width: 34rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 1rem; }
h2 { font-size: 0.95rem; font-weight: 600; color: var(--soft); margin: 1.5rem 0 0.5rem; }
.notice { color: var(--accent); font-size: 0.9rem; margin: 0 0 0.25rem; }
summary { cursor: pointer; }
button { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; width: 100%; margin: 0 0 0.5rem; padding: 0.7rem 1rem; font: inherit; text-align: start; color: inherit; background: light-dark(#fff, #18242a); border: 1px solid var(--line); border-radius: 0.6rem; cursor: pointer; }
button:hover { border-color: var(--accent); }
button:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.name { font-weight: 600; }
.role { color: var(--accent); }
.email { grid-column: 1 / -1; color: var(--soft); font-size: 0.9rem; overflow-wrap: anywhere; }
.quiet { display: block; margin-top: 1.5rem; background: none; text-align: center; }
code { overflow-wrap: anywhere; }
`;

const styleHash = `'sha256-${sha256(style).toString('base64')}'`;

/** Browsers apply `form-action` to the redirect after a form too, so it must contain the client's origin. */
export function pageHeaders(target?: URL): Readonly<Record<string, string>> {
  // A content security policy cannot name an IPv6 address.
  const origin = target === undefined ? '' : target.hostname.startsWith('[') ? target.protocol : target.origin;
  const policy = [
    "default-src 'none'",
    `style-src ${styleHash}`,
    `form-action 'self' ${origin}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
