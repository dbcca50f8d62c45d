// A tour of the service: every list there is, asked for the way a caller would, in a world where none of them is empty.
import type { ServiceOperation } from '#src/sandbox/api/service-operation.ts';
import { operations, type Answer, type CallOptions, type TestSandbox } from '../sandbox.ts';
import { dayMs } from '#src/sandbox/clock.ts';

export interface Stop {
  readonly operation: ServiceOperation;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

/** Makes a few of what no world begins with. */
export async function fillEveryList(sandbox: TestSandbox): Promise<void> {
  const { organization, event_types } = sandbox.handles;
  const done = async (answer: Promise<Answer>): Promise<Answer['body']> => {
    const { status, body } = await answer;
    if (status >= 300) throw new Error(`Furnishing failed: ${status} ${JSON.stringify(body)}`);
    return body;
  };
  const times = await sandbox.call('GET', '/event_type_available_times', {
    query: { ...timesAhead(sandbox), event_type: event_types.group },
  });
  const [{ start_time }] = times.body.collection;
  for (const number of [1, 2, 3]) {
    const email = `guest-${number}@example.test`;
    const hook = { url: `http://127.0.0.1:9/${number}`, events: ['contact.deleted'], scope: 'organization' };
    await done(sandbox.call('POST', `${organization}/invitations`, { body: { email } }));
    await done(sandbox.call('POST', '/webhook_subscriptions', { body: { organization, ...hook } }));
    await done(sandbox.control('POST', '/routing_form_submissions', {}));
    await done(sandbox.control('POST', '/meeting_recaps', {}));
    const invitee = { email, name: `Guest ${number}`, timezone: 'UTC' };
    const body = { event_type: event_types.group, start_time, invitee };
    const { resource } = await done(sandbox.call('POST', '/invitees', { body }));
    await done(sandbox.control('POST', '/no_shows', { invitee: resource.uri }));
  }
}

/** Five days have at most 80 half hours of work, so they fit on one page. */
function timesAhead({ service: { clock } }: TestSandbox): { readonly start_time: string; readonly end_time: string } {
  const at = (days: number): string => new Date(clock.nowMs() + days * dayMs).toISOString();
  return { start_time: at(1), end_time: at(6) };
}

/** Every operation that answers with a collection, with what it has to be asked. */
export function listsOf(sandbox: TestSandbox): readonly Stop[] {
  const { organization, event_types } = sandbox.handles;
  const { state } = sandbox.service;
  const ask: Readonly<Record<string, string>> = {
    organization,
    scope: 'organization',
    form: [...state.routingForms.values()][0]?.uri ?? '',
    event_type: event_types.solo,
    ...timesAhead(sandbox),
  };
  const crowded = [...state.invitees.values()].at(-1)?.event ?? '';
  const homes: Readonly<Record<string, string>> = {
    '/organizations/{uuid}': organization,
    '/scheduled_events/{uuid}': crowded,
  };
  return operations
    .filter(({ answers }) => answers === 'collection')
    .map((operation) => {
      const home = operation.path.slice(0, operation.path.lastIndexOf('}') + 1);
      if (home !== '' && homes[home] === undefined) throw new Error(`The tour does not know ${home}.`);
      const path = (homes[home] ?? '') + operation.path.slice(home.length);
      const names = parameterNames(operation).filter((name) => name in ask);
      return { operation, path, query: Object.fromEntries(names.map((name) => [name, ask[name] ?? ''])) };
    });
}

/** Every row of a list, page by page. */
export async function everyPage<Row>(sandbox: TestSandbox, first: string, as: CallOptions['as'] = 'owner') {
  const found: Row[] = [];
  for (let url: string | null = first; url !== null;) {
    const { status, body }: Answer = await sandbox.call('GET', url, { as });
    if (status !== 200) throw new Error(`${url} is answered ${status}`);
    found.push(...body.collection);
    url = body.pagination.next_page;
  }
  return found;
}

export function parameterNames({ query }: ServiceOperation): readonly string[] {
  return Object.keys((query as { readonly shape?: object } | undefined)?.shape ?? {});
}

/** Every text in a value, with the key it stands under. */
export function textsIn(value: unknown, key = ''): readonly (readonly [key: string, text: string])[] {
  if (typeof value === 'string') return [[key, value]];
  if (Array.isArray(value)) return value.flatMap((part) => textsIn(part, key));
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, part]) => textsIn(part, name))
    : [];
}
