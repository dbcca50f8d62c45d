import { expect, it } from 'vitest';
import { joinedValues, rawHeaderValues } from '#src/signing/header-values.ts';

it('every value of a header is found, whatever its letters, and joined ones are taken apart', () => {
  const values = rawHeaderValues(['X-Key', 'one', 'Host', 'x-key', 'x-key', 'two']);
  expect([values('x-key'), values('host'), values('one')]).toEqual([['one', 'two'], ['x-key'], []]);
  const headers = new Headers([
    ['a', 't=1,v1=2'],
    ['a', 'x'],
  ]);
  expect(joinedValues(headers.get('a'))).toEqual(['t=1,v1=2', 'x']);
  expect([joinedValues(headers.get('b')), joinedValues(undefined), joinedValues('')]).toEqual([[], [], ['']]);
});
