// The page for a browser without a session: how to log in, and nothing else.
import { createHash } from 'node:crypto';

const style = `
:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.6 system-ui, 'Liberation Sans', sans-serif;
  background: light-dark(#fbfaf7, #14171a); color: light-dark(#1d2326, #e6e8ea); }
main { max-width: 30rem; padding: 2rem; }
h1 { margin: 0 0 .5rem; font-size: 1.6rem; letter-spacing: -.02em; }
pre { padding: .8rem 1rem; overflow-x: auto; border-radius: 10px; background: light-dark(#20272b, #0d1012); color: #dfe7ea; }
a { color: light-dark(#0a6d7a, #5fc7d4); }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
`;

/** The content security policy of a page with this style and nothing else. */
export const policyWith = (style: string): string =>
  [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

export const loginPolicy = policyWith(style);

/** The link reloads the requested address: a browser that came from another site sends its cookie only with a request from this page. */
export const loginPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Log in · Slotstream</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Log in</h1>
<p>Run this command on the server, with the same settings, and open the link it prints:</p>
<pre><code>./bin/slotstream status --login</code></pre>
<p>Logged in a moment ago? <a href="">Open this page again.</a></p>
</main>
</body>
</html>
`;
