// The page of an empty installation: the next command to run, ready to copy.
import { html } from 'hono/html';
import type { FirstStep } from '#src/read/health/first-run.ts';
import type { Overview } from '#src/api/overview/overview.ts';
import { copyable, nothing, type Markup } from '#src/addons/dashboard/components/markup.ts';
import type { View } from '#src/addons/dashboard/page.ts';
import { fixText } from './health.ts';

export function firstRunView({ firstRun: first, health, flow }: Overview): View {
  const next = first.steps.find(({ done }) => !done);
  // A new installation has no subscription and no copy yet: these steps say so.
  const problems = health.filter(({ state }) => state === 'problem');
  return {
    title: 'First steps',
    liveAfter: flow.lastSeq,
    content: html`<h1>Slotstream runs, and nothing has arrived yet.</h1>
      <p class="lead">It mirrors a Calendly account (API v2). It is independent of Calendly, and was tested with a simulated account. A few steps, and this page shows your deliveries as they come in.</p>
      ${problems.map(({ sentence, fix }) => html`<p class="notice problem"><strong>${sentence}</strong> ${fix === undefined ? '' : fixText(fix)}</p>`)}
      <ol class="plain steps">${first.steps.map((step) => stepView(step, step === next))}</ol>
      <h2>Try it without an account</h2>
      <div class="try-out">${first.tryOut.map(({ sentence, command }) => html`<p>${sentence}</p>${copyable(command)}`)}</div>`,
  };
}

const stepView = ({ id, done, sentence, command }: FirstStep, isNext: boolean): Markup =>
  html`<li id="step-${id}" class="${done ? 'done' : isNext ? 'next' : ''}" ${isNext ? html`aria-current="step"` : ''}>
    <span>${done ? html`<span class="hidden">Done: </span>` : ''}${sentence}</span>
    ${command === undefined || done ? '' : copyable(command)}
  </li>`;

/** What is left of the first steps once something has arrived. */
export function stepsLeft({ done, steps }: Overview['firstRun']): Markup {
  const left = done ? [] : steps.filter((step) => !step.done);
  if (left.length === 0) return nothing;
  return html`<section id="steps">
    <h2>Still to do</h2>
    <ol class="plain steps">${left.map((step, index) => stepView(step, index === 0))}</ol>
  </section>`;
}
