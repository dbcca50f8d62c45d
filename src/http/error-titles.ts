// How Slotstream says no where it follows nobody: the title is that of the status, and the message says what is wrong.
import type { ErrorBody } from '#schemas/errors.ts';
import { Refusal } from './http-error.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid Argument',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
};

/** The service has one title for nearly everything, and its message says nothing: what it says in `details` is told instead. */
export function inOwnWords(refusal: Refusal): Refusal {
  const { status, body } = refusal;
  const title = titles[status];
  if (title === undefined) return refusal;
  const message = (body.details ?? []).map(told).join(' ');
  return new Refusal(status, { ...body, title, message: message === '' ? body.message : message });
}

export const ownRefusal = (status: 404 | 405 | 413, message: string): Refusal =>
  inOwnWords(new Refusal(status, { title: '', message }));

/** A sentence as it is; else what is wrong with which parameter: `limit: a whole number from 1 to 1000.` */
function told({ message, parameter }: NonNullable<ErrorBody['details']>[number]): string {
  if (message.endsWith('.')) return message;
  return parameter == null ? `${message}.` : `${parameter}: ${message}.`;
}
