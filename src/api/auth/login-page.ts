// The page for a browser without a session: how to log in, and nothing else.
import type { Context } from 'hono';
import { html, raw } from 'hono/html';
import { contentPolicy } from '#src/http/content-policy.ts';

/** Of pages without a frame. */
export const style = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 30rem); place-content: center; font: 16px/1.6 system-ui, 'Liberation Sans', sans-serif;
  background: light-dark(#fbfaf7, #14171a); color: light-dark(#1d2326, #e6e8ea); }
main { padding: 2rem; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; letter-spacing: -.02em; }
pre { padding: .8rem 1rem; overflow-x: auto; border-radius: 10px; background: light-dark(#20272b, #0d1012); color: #dfe7ea; }
form { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: 1.5rem 0; }
label { flex: 1 1 14rem; }
input, button { font: inherit; padding: .45rem .7rem; border-radius: 8px; border: 1px solid light-dark(#8b9295, #667078); box-sizing: border-box; }
input { display: block; width: 100%; background: light-dark(#fff, #0d1012); color: inherit; }
button { background: light-dark(#0a6d7a, #5fc7d4); color: light-dark(#fff, #0d1012); border-color: transparent; cursor: pointer; }
a { color: light-dark(#0a6d7a, #5fc7d4); }
[role=alert] { font-weight: 600; color: light-dark(#a3231f, #ff9a8f); }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
`;

/** A form is sent with its origin only where the policy on referrers lets the own host know where a request comes from. */
export const loginHeaders = {
  'content-security-policy': contentPolicy({ style, forms: true }),
  'referrer-policy': 'same-origin',
} as const;

/** A page that opens another one, where a redirect would lose the cookie, or is forbidden to a form. */
export const continueAt = (context: Context, url: string) =>
  context.html('Logging in …', 200, { ...loginHeaders, refresh: `0;url=${url}` });

export interface LoginPage {
  /** The address to return to, on this host. */
  readonly next: string;
  readonly command: string;
  readonly problem?: string;
}

/** The link reloads the requested address: a browser that came from another site sends its cookie only with a request from this page. */
export const loginPage = ({ next, command, problem }: LoginPage) => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in · Slotstream</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>Log in</h1>
${problem === undefined ? '' : html`<p role="alert">${problem}</p>`}
<p>Run this command on the server, with the same settings, and open the link it prints:</p>
<pre><code>${command}</code></pre>
<form method="post" action="/login">
<input type="hidden" name="next" value="${next}">
<label>Or paste the admin token or the read&#8209;only token
<input type="password" name="token" required autocomplete="current-password" spellcheck="false"></label>
<button>Log in</button>
</form>
<p>Logged in a moment ago? <a href="${next}">Open this page again.</a></p>
</main>
</body>
</html>
`;
