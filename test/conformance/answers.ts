// What the rows share: requests that most of them send, forms and bodies of the specification, and the check of an answer.
import { expect } from 'vitest';
import type { ApiScope } from '#schemas/api-scope.ts';
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

/** A call of an operation about something that is not there, with an empty body where it takes one. */
export function tryOperation(
  sandbox: TestSandbox,
  { method, path }: { readonly method: string; readonly path: string },
  more: CallOptions,
): Promise<Answer> {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: {} };
  return sandbox.call(method, path.replaceAll(/\{\w+\}/g, strange), { ...body, ...more });
}

export const urisOf = ({ body }: Answer): string[] => body.collection.map(({ uri }: { readonly uri: string }) => uri);

/** Shows that a list has the one record, and has not the other. */
export async function finds(list: Promise<Answer>, inside: string, outside: string): Promise<void> {
  const uris = urisOf(await list);
  expect([uris.includes(inside), uris.includes(outside)]).toEqual([true, false]);
}
