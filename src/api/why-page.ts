// The page of a row: its values and what changed them, for people.
import { html, raw } from 'hono/html';
import { contentPolicy } from '#src/http/content-policy.ts';
import type { Explanation } from '#workers/sync/explain-row.ts';

const style = `
:root { color-scheme: light dark; }
body { margin: 0 auto; max-width: 60rem; padding: 2rem 1rem; font: 16px/1.5 system-ui, 'Liberation Sans', sans-serif;
  background: light-dark(#fbfaf7, #14171a); color: light-dark(#1d2326, #e6e8ea); }
h1 { margin: 0; font-size: 1.6rem; } h2 { margin: 2rem 0 .5rem; font-size: 1.1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { padding: .3rem .6rem; text-align: left; vertical-align: top; overflow-wrap: anywhere; border-bottom: 1px solid light-dark(#ddd9d0, #333a40); }
th { white-space: nowrap; font-weight: 600; }
a { color: light-dark(#0a6d7a, #5fc7d4); }
`;

export async function whyPage({
  uri,
  table,
  deleted,
  deliveries,
  next_after: next,
  fields,
}: Explanation): Promise<Response> {
  const known = fields.filter(({ value }) => value !== null);
  const name = known.find(({ column }) => column === 'name')?.value;
  const title = typeof name === 'string' ? name : uri;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Slotstream</title>
<style>${raw(style)}</style>
</head>
<body>
<h1><bdi>${title}</bdi></h1>
<p>${table === null ? 'No row: no delivery about it could be applied.' : `A row of ${table}${deleted ? ', deleted' : ''}.`}</p>
<h2>Values</h2>
<table>
<tr><th>column</th><th>value</th><th>since (UTC)</th></tr>
${known.map(({ column, value, since }) => html`<tr><th>${column}</th><td>${shown(column, value)}</td><td>${timeText(since?.occurred_at ?? '')}</td></tr>\n`)}</table>
<h2>History</h2>
<table>
<tr><th>entry</th><th>event</th><th>time (UTC)</th><th>source, outcome</th><th>changed columns</th></tr>
${deliveries.map(
  ({ seq, event, source, occurred_at, received_at, outcome, changes }) =>
    html`<tr><th>#${seq}</th><td>${event ?? 'not understood'}</td><td>${timeText(occurred_at ?? received_at)}</td><td>${source}, ${outcome}</td><td>${Object.keys(changes?.[table ?? ''] ?? {}).join(', ')}</td></tr>\n`,
)}</table>
${next === null ? '' : html`<p><a href="?uri=${encodeURIComponent(uri)}&amp;after=${next}">More</a></p>`}
</body>
</html>
`;
  return new Response(String(await page), {
    headers: {
      'content-type': 'text/html; charset=UTF-8',
      'content-security-policy': contentPolicy({ style }),
      vary: 'Accept',
    },
  });
}

/** Leads from a booking to its meeting, and to the pages of the service. */
function shown(column: string, value: unknown) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!/^https?:\/\//.test(text)) return html`<bdi>${text}</bdi>`;
  if (column.endsWith('_url')) return html`<a href="${text}">${text}</a>`;
  return html`<a href="?uri=${encodeURIComponent(text)}">${text}</a>`;
}

const timeText = (instant: string): string => instant.slice(0, 19).replace('T', ' ');
