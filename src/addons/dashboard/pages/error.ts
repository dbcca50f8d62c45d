// The page for what could not be shown: what was wrong, and what to do next.
import { html } from 'hono/html';
import { ApiError } from '#src/api/ask.ts';
import type { View } from '#src/addons/dashboard/page.ts';

export function errorView(error: unknown, { pathname, search }: URL): View {
  if (!(error instanceof ApiError))
    return view(
      503,
      'This page could not be shown',
      'The process wrote the cause to its log. Try again in a moment.',
      [],
    );
  const { status, title, message, details } = error;
  if (status === 404) return view(404, 'Not found', details.length > 0 ? '' : message, details);
  if (status === 409) return view(409, 'This is not possible now', details.length > 0 ? '' : message, details);
  if (status < 500 && search !== '')
    return view(400, 'This filter cannot be used', '', details.length > 0 ? details : [message], pathname);
  if (status < 500) return view(400, 'This is not possible', '', details.length > 0 ? details : [message]);
  return view(503, title, message, details);
}

function view(
  status: NonNullable<View['status']>,
  title: string,
  message: string,
  details: readonly string[],
  again?: string,
): View {
  return {
    title,
    status,
    content: html`<h1>${title}</h1>
      ${message === '' ? '' : html`<p>${message}</p>`}
      ${details.length === 0 ? '' : html`<ul>${details.map((line) => html`<li>${line}</li>`)}</ul>`}
      ${again === undefined ? html`<p><a href="/">Go to Now</a></p>` : html`<p><a href="${again}">Remove all filters</a></p>`}`,
  };
}
