// What the rows share: requests that most of them send, forms and bodies of the specification, and the check of an answer.
import { expect } from 'vitest';
import { everyScope, type ApiScope } from '#schemas/api-scope.ts';
import type { Answer, CallOptions, TestSandbox } from '../harness/sandbox.ts';

export const sixDigits = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
/** Names nothing. */
export const strange = '00000000-0000-4000-8000-000000000000';
export const documentedBody = {
  title: 'Internal Server Error',
  message: 'The server encountered an unexpected condition that prevented it from fulfilling the request.',
};
export const denied = (message: string) => ({ title: 'Permission Denied', message });
export const noRight = denied('You do not have permission');
export const noAccess = denied('You do not have permission to access this resource.');
export const lacking = (...required_scopes: readonly ApiScope[]) => ({
  title: 'Insufficient scope',
  message: "This operation requires the scopes listed in the 'required_scopes' array.",
  required_scopes,
});
/** The refusal of one parameter. */
export const invalid = (parameter: string) => ({ title: documentedBody.title, details: [{ parameter }] });

/** Shows that a call is answered with this status and, where one is given, with such a body. */
export async function answers(call: Promise<Answer>, status: number, ...body: readonly [unknown?]): Promise<void> {
  expect(await call).toMatchObject(body.length === 0 ? { status } : { status, body: body[0] });
}

/** The record that a call with this status answers. */
export async function recordOf(call: Promise<Answer>, status = 200): Promise<Answer['body']> {
  const answer = await call;
  expect(answer.status).toBe(status);
  return answer.body.resource;
}

let last = 0;
/** A token of the owner, or of another user, with these scopes only. */
export function tokenWith(
  { tokens, handles }: TestSandbox,
  scopes: readonly ApiScope[],
  user = handles.users.owner,
): string {
  const token = `oat_row_${(last += 1)}`;
  tokens.add(token, { kind: 'oauth', user, scopes });
  return token;
}

export const newUrl = (): string => `http://127.0.0.1:9/hook/${(last += 1)}`;
/** The body of a request for a subscription that is accepted, but for what is given. */
export const hookOf = ({ handles }: TestSandbox, more: object = {}): object => ({
  url: newUrl(),
  events: ['invitee.created'],
  organization: handles.organization,
  scope: 'organization',
  ...more,
});

/** Shows that subscribing to each of these events takes this scope, which no other includes but for its own `write`. */
export async function subscribingAsksFor(
  sandbox: TestSandbox,
  scope: ApiScope,
  events: readonly string[],
  more: object = {},
): Promise<void> {
  const others = everyScope.filter((one) => one !== scope && !one.startsWith(scope.slice(0, 8)));
  for (const event of events) {
    const subscribe = (...scopes: readonly ApiScope[]) => {
      const body = hookOf(sandbox, { events: [event], ...more });
      return sandbox.call('POST', '/webhook_subscriptions', { body, token: tokenWith(sandbox, scopes) });
    };
    await answers(subscribe(...others), 403, lacking(scope));
    await answers(subscribe('webhooks:write', scope), 201);
  }
}

/** A call of an operation about something that is not there, with an empty body where it takes one. */
export function tryOperation(
  sandbox: TestSandbox,
  { method, path }: { readonly method: string; readonly path: string },
  more: CallOptions,
): Promise<Answer> {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
  return sandbox.call(method, path.replaceAll(/\{\w+\}/g, strange), { ...body, ...more });
}

/** Shows that an administrator may read these, and neither an ordinary user nor another organization. */
export async function isForAdministrators(
  { call }: TestSandbox,
  paths: readonly string[],
  query: CallOptions['query'] = {},
): Promise<void> {
  for (const path of paths) {
    await answers(call('GET', path, { as: 'admin', query }), 200);
    for (const as of ['member', 'enterprise'] as const) await answers(call('GET', path, { as, query }), 403, noAccess);
  }
}

/** Shows that this scope is asked for. */
export async function asksFor(
  { call }: TestSandbox,
  scope: ApiScope,
  paths: readonly string[],
  methods: readonly string[] = ['GET'],
): Promise<void> {
  for (const path of paths)
    for (const method of methods) await answers(call(method, path, { as: 'no_scopes' }), 403, lacking(scope));
}

export const organizationOf = async ({ call }: TestSandbox, as: CallOptions['as']): Promise<string> =>
  (await call('GET', '/users/me', as === undefined ? {} : { as })).body.resource.current_organization;
/** A user of another organization. */
export const strangerTo = ({ service, handles }: TestSandbox): string =>
  service.state.users.values().find(({ current_organization }) => current_organization !== handles.organization)?.uri ??
  '';
/** An ordinary user of the organization who is not of the group. */
export function outsiderOf({ service: { state }, handles }: TestSandbox): string {
  const members = state.groups.get(handles.group)?.members;
  const ordinary = state.memberships.of('organization', handles.organization).filter(({ role }) => role === 'user');
  return ordinary.find(({ user }) => members?.includes(user) === false)?.user ?? '';
}

/** The parameters that a refusal complains of. */
export const parametersIn = ({ body }: Answer): string[] =>
  body.details.map(({ parameter }: { readonly parameter: string }) => parameter);

export const urisOf = ({ body }: Answer): string[] => body.collection.map(({ uri }: { readonly uri: string }) => uri);

/** Shows that a list has the one record, and has not the other. */
export async function finds(list: Promise<Answer>, inside: string, outside: string): Promise<void> {
  const uris = urisOf(await list);
  expect([uris.includes(inside), uris.includes(outside)]).toEqual([true, false]);
}
