// What QUEUE_URL says to this program and not to a driver: `?name=acme`, by which several mirrors share one server.
import { SlotstreamError } from '#src/base/errors.ts';

export interface QueueAddress {
  /** For the driver. */
  readonly url: string;
  readonly name: string | undefined;
}

export function readQueueAddress(url: string): QueueAddress {
  const [base = '', ...rest] = url.split('?');
  const parameters = rest.join('?').split('&');
  const isName = (parameter: string): boolean => parameter.startsWith('name=');
  const [name, ...more] = parameters.filter(isName).map((parameter) => parameter.slice('name='.length));
  if (name === undefined) return { url, name };
  if (more.length > 0 || !/^[a-z0-9_]{1,40}$/.test(name))
    throw new SlotstreamError('config', 'The name in QUEUE_URL is not one of 1 to 40 small letters, digits and _.', {
      hint: 'Write it as in redis://host:6379?name=acme.',
    });
  const others = parameters.filter((parameter) => !isName(parameter)).join('&');
  return { url: others === '' ? base : `${base}?${others}`, name };
}
