// The verdict and the health items: what is not well as a notice with its fix, everything else in one quiet line.
import { html } from 'hono/html';
import type { HealthCheck } from '#src/read/health/health-check.ts';
import type { Overview } from '#src/api/overview/overview.ts';
import { counted } from '#src/base/number-text.ts';
import { nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';

export function healthView({ verdict, health }: Pick<Overview, 'verdict' | 'health'>): Markup {
  const of = (wanted: HealthCheck['state']) => health.filter(({ state }) => state === wanted);
  const ill = [...of('problem'), ...of('warning')];
  const well = of('ok');
  const polling = well.find(({ id }) => id === 'polling');
  return html`<section id="health">
    <h1 class="verdict ${verdict.state}">${verdict.sentence}</h1>
    ${polling === undefined ? '' : html`<p class="lead" id="polling">${polling.sentence}</p>`}
    ${ill.length === 0 ? '' : html`<ul class="plain health">${ill.map(notice)}</ul>`}
    ${
      well.length === 0
        ? nothing
        : html`<details class="well" id="well">
            <summary>${counted(well.length, 'check')} passed</summary>
            <ul>${well.map(({ id, sentence }) => html`<li id="well-${id}">${sentence}</li>`)}</ul>
          </details>`
    }
  </section>`;
}

const words = { problem: 'Problem', warning: 'Warning', ok: 'Well' } as const;

const notice = ({ id, state, sentence, fix, page }: HealthCheck): Markup =>
  html`<li class="notice ${state}" id="health-${id}">
    <strong><span class="hidden">${words[state]}: </span>${page === undefined ? sentence : html`<a href="${page}">${sentence}</a>`}</strong>
    ${fix === undefined ? '' : html`<span>${fixText(fix)}</span>`}
  </li>`;

const command = /((?:\S*bin\/slotstream|npx \S+) [a-z]+(?: test| resend)?(?: --channel \w+| --[a-z-]+)*)/;

/** The sentence with its commands in the type of code. */
export const fixText = (fix: string): Markup =>
  html`${fix.split(command).map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`;
