// Columns whose values the page of a row shows in a form of their own: texts in Markdown, answers to questions, links to other sites.
import { html } from 'hono/html';
import { isObject, textOf } from '#schemas/wire.ts';
import { answerList } from '#src/addons/dashboard/components/list.ts';
import { externalLink, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { markdown } from '#src/addons/dashboard/pages/people/markdown.ts';

type Cell = (value: unknown) => Markup | undefined;

const ofText =
  (view: (text: string) => Markup): Cell =>
  (value) =>
    typeof value === 'string' && value !== '' ? view(value) : undefined;

/** Nothing where the value has another form than it should have. */
const answers: Cell = (value) => {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) return undefined;
  return html`${answerList(value.map(({ question, answer }) => ({ question: textOf(question), answer: textOf(answer) })))}`;
};

/** Where a form led, if that is another site. */
const site: Cell = (value) =>
  isObject(value) && value['type'] === 'external_url' && typeof value['value'] === 'string'
    ? externalLink(value['value'])
    : undefined;

const cells: Readonly<Record<string, Cell>> = {
  'meeting_recaps.summary_md': ofText((text) => markdown(text, 'Summary')),
  'meeting_recaps.action_items_md': ofText((text) => markdown(text, 'Action items')),
  'meeting_recaps.discussion_md': ofText((text) => markdown(text, 'Discussion')),
  'meeting_recaps.share_link': ofText((text) => externalLink(text)),
  'routing_form_submissions.questions_and_answers': answers,
  'routing_form_submissions.result': site,
  'unbooked_submissions.answers': answers,
  'invitees.questions_and_answers': answers,
};

/** Undefined where the column has none, or its value has another form. */
export const ownCell = (table: string, column: string, value: unknown): Markup | undefined =>
  cells[`${table}.${column}`]?.(value);
