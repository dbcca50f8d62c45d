// Mistyped names are answered with the name that was probably meant.
import { expect, it } from 'vitest';
import { nearestName, suggestName } from '#src/base/did-you-mean.ts';

it('a mistyped name gets the most similar name as a suggestion, then all names in order', () => {
  const names = ['users', 'event_log', 'contact_emails', 'contacts'];
  const inOrder = 'There are: contact_emails, contacts, event_log, users.';
  const offered = (typed: string) => suggestName(names, { typed, opening: 'There are' });
  expect(offered('contcats')).toBe(`Did you mean contacts? ${inOrder}`);
  expect(offered('user')).toBe(`Did you mean users? ${inOrder}`);
  expect([offered(''), offered('pizza')]).toEqual([inOrder, inOrder]);
  expect(nearestName([], 'contacts')).toBeUndefined();
});
