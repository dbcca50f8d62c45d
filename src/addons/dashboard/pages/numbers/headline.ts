// How many meetings were held, missed and unknown, and the no-show rate as far as it is known. A meeting is unknown when it ended without
// a mark, and no answer, recap or transcript shows that the invitee came.
import { html } from 'hono/html';
import { number } from '#src/base/number-text.ts';
import { percentText } from '#src/addons/dashboard/charts/scale.ts';
import { nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';
import type { NoShowCounts } from '#src/read/numbers/no-show-counts.ts';

export const countsText = ({ meetings, no_shows: missed, unconfirmed: unknown }: NoShowCounts): Markup =>
  html`<strong>${number(meetings - missed - unknown)}</strong> held, <strong>${number(missed)}</strong> missed, <strong>${number(unknown)}</strong> unknown`;

/** A wide range says nothing. */
export function rateText({ meetings, unconfirmed: unknown, rate, rate_high: high }: NoShowCounts): Markup {
  if (rate === null || high === null) return html`These are too few for a no-show rate.`;
  if (unknown === 0) return html`The no-show rate is <strong>${percentText(rate)}</strong>.`;
  if (unknown * 4 > meetings) return html`At least <strong>${percentText(rate)}</strong> were missed.`;
  return html`The no-show rate is <strong>between ${percentText(rate)} and ${percentText(high)}</strong>, ${number(unknown)} unanswered.`;
}

/** `list`: the unknown ones. */
export const askText = ({ unconfirmed: unknown }: NoShowCounts, list: string): Markup =>
  unknown === 0 ? nothing : html`<a href="${list}">Answer the unknown ${unknown === 1 ? 'one' : 'ones'}</a>.`;
