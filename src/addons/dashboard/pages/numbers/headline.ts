// How many invitees came, missed their meeting or are unknown, and the no-show rate as far as it is known.
import { html } from 'hono/html';
import { number } from '#src/base/number-text.ts';
import { percentText } from '#src/addons/dashboard/charts/scale.ts';
import { nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';
import type { EndedCounts } from '#src/read/ended-counts.ts';

export const countsText = ({ came, no_shows: missed, unknown }: EndedCounts): Markup =>
  html`<strong>${number(came)}</strong> came, <strong>${number(missed)}</strong> missed, <strong>${number(unknown)}</strong> unknown`;

/** A wide range says nothing. */
export function rateText({ ended, unknown, rate, rate_high: high }: EndedCounts): Markup {
  if (rate === null || high === null) return html`These are too few for a no-show rate.`;
  if (unknown === 0) return html`The no-show rate is <strong>${percentText(rate)}</strong>.`;
  if (unknown * 4 > ended) return html`At least <strong>${percentText(rate)}</strong> were missed.`;
  return html`The no-show rate is <strong>between ${percentText(rate)} and ${percentText(high)}</strong>, ${number(unknown)} unanswered.`;
}

/** `list`: the unknown ones. */
export const askText = ({ unknown }: EndedCounts, list: string): Markup =>
  unknown === 0 ? nothing : html`<a href="${list}">Answer the unknown ${unknown === 1 ? 'one' : 'ones'}</a>.`;
