// Actions: what operators changed through this listener, from where, and how it ended.
import { html } from 'hono/html';
import { isObject } from '#schemas/wire.ts';
import { readActions } from '#src/api/audit.ts';
import { number } from '#src/base/number-text.ts';
import { pager, table } from '#src/addons/dashboard/components/list.ts';
import { filters } from '#src/addons/dashboard/components/form.ts';
import { badge, foreign, time, type Markup } from '#src/addons/dashboard/components/markup.ts';
import { compareText } from '#src/http/pagination.ts';
import { definePage } from '#src/addons/dashboard/page.ts';
import { partsOfMirror } from './parts.ts';

type Action = Awaited<ReturnType<typeof readActions>>['actions'][number];

export const actionsPage = definePage({
  path: '/mirror/actions',
  section: '/mirror',
  async show({ read, url, query }) {
    const { actions, pagination } = await read((mirror) => readActions(mirror, { url, query }));
    return {
      title: 'Actions',
      content: html`${partsOfMirror('/mirror/actions')}
        <h1>Actions</h1>
        <p class="lead">You see who changed what, on these pages and through the API. Refused changes and calls of AI models are here, too.</p>
        ${filters(url, query, [{ name: 'operation', label: 'Operation', placeholder: 'replayDelivery' }])}
        ${table({
          caption: 'Actions of operators, newest first',
          rows: actions,
          keyOf: ({ id }) => id,
          empty: html`No action matches. An action appears here when a delivery is replayed, an alert is resent or a consumer is deleted. Commands on the server are not recorded.`,
          columns: [
            { name: 'Time', cell: ({ at }) => time(at) },
            {
              name: 'Action',
              cell: ({ operation, target }) => html`${words(operation)} ${targetView(operation, target)}`,
            },
            { name: 'Result', cell: statusView },
            { name: 'Options', cell: ({ input }) => optionsText(input) },
            { name: 'Effect', cell: effectText },
            { name: 'By', cell: ({ caller }) => html`<span class="nowrap">${caller}</span>` },
            { name: 'From', cell: ({ address }) => foreign(address), isMinor: true },
          ],
        })}
        ${pager(pagination, url)}`,
    };
  },
});

/** `Replay delivery` of `replayDelivery`; what is not the name of an operation stays as it is. */
function words(operation: string): string {
  if (!/^[a-z][A-Za-z]+$/.test(operation)) return operation;
  const text = operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function targetView(operation: string, target: string | null): Markup | string {
  if (target === null) return '';
  const isDelivery = operation.endsWith('Delivery') && !/\s/.test(target);
  return isDelivery
    ? html`<a href="/deliveries/${encodeURIComponent(target)}"><bdi>${shortened(target)}</bdi></a>`
    : foreign(shortened(target));
}

const maxId = 24;
const shortened = (id: string): string => (id.length > maxId ? `${id.slice(0, maxId)}…` : id);

function statusView({ status }: Action): Markup {
  if (status === null) return badge('not finished', 'attention');
  if (status < 400) return badge('done', 'ok');
  return status === 403 ? badge('refused', 'attention') : badge(`failed, ${status}`, 'problem');
}

type Values = Readonly<Record<string, unknown>>;

/** PostgreSQL does not keep the order of fields. */
const sorted = (values: unknown): [string, unknown][] =>
  Object.entries(isObject(values) ? values : {}).toSorted(([one], [other]) => compareText(one, other));

const nameOf = (field: string): string => (field === 'q' ? 'text' : field.replaceAll(/[._]/g, ' '));

/** `outcome quarantined, text not recorded`. */
function optionsText(input: Action['input']): Markup | string {
  const texts = sorted(input).flatMap(([field, value]) => {
    if (value === false) return [];
    if (value === true) return [nameOf(field)];
    if (value === '[hidden]') return [`${nameOf(field)} not recorded`];
    return [`${nameOf(field)} ${String(value)}`];
  });
  return texts.length === 0 ? '' : foreign(texts.join(', '));
}

function effectText({ operation, result, status }: Action): Markup | string {
  if (!isObject(result) || status === null || status >= 400) return '';
  const text = effects[operation]?.(result) ?? countsText(result);
  return text === '' ? '' : foreign(text);
}

const effects: Readonly<Record<string, (result: Values) => string>> = {
  replayDelivery: ({ changed, outcome_before: before, outcome_after: after }) =>
    changed === true ? `${String(before)} → ${String(after)}` : 'nothing changed',
  replayDeliveries({ read, changed, still_quarantined: still }) {
    const looked = `${number(Number(read))} looked at`;
    if (changed === 0) return `${looked}, ${still === 0 ? 'nothing changed' : 'none can be applied'}`;
    return `${looked}, ${number(Number(changed))} changed, ${number(Number(still))} still cannot be applied`;
  },
  dismissDelivery: () => 'dismissed',
};

/** `1 created, 12 unchanged`: offsets say nothing to a person. */
const countsText = (result: Values): string =>
  sorted(result)
    .flatMap(([field, value]) => {
      if (field.endsWith('seq') || value === 0 || value === false) return [];
      if (typeof value === 'number') return [`${number(value)} ${nameOf(field)}`];
      return [value === true ? nameOf(field) : `${nameOf(field)} ${String(value)}`];
    })
    .join(', ');
