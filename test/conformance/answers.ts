// What the rows hold answers against: forms and bodies of the specification, written out once.
import { expect } from 'vitest';
import type { Answer } from '../harness/sandbox.ts';

export const sixDigits = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
/** Names nothing. */
export const strange = '00000000-0000-4000-8000-000000000000';
export const documentedBody = {
  title: 'Internal Server Error',
  message: 'The server encountered an unexpected condition that prevented it from fulfilling the request.',
};
export const noRight = { title: 'Permission Denied', message: 'You do not have permission' };
export const noAccess = { title: 'Permission Denied', message: 'You do not have permission to access this resource.' };

/** Shows that a call is answered with this status and, where one is given, with such a body. */
export async function answers(call: Promise<Answer>, status: number, ...body: readonly [unknown?]): Promise<void> {
  expect(await call).toMatchObject(body.length === 0 ? { status } : { status, body: body[0] });
}
