import { expect, it } from 'vitest';
import { describeEvent } from '#schemas/describe-event.ts';
import { allEventKinds } from '#schemas/events.ts';

it.each([
  ['invitee.created', { name: 'Ada', scheduled_event: { name: 'Intro' } }, 'Ada booked Intro'],
  ['invitee.created', { name: 'Ada', old_invitee: 'x', event: { name: 'Intro' } }, 'Ada moved Intro to a new time'],
  ['invitee.canceled', { name: 'Ada', scheduled_event: { name: 'Intro' } }, 'Ada canceled Intro'],
  ['invitee.canceled', { name: 'Ada', new_invitee: 'x' }, 'Ada moved a meeting (old time canceled)'],
  ['invitee_no_show.created', { name: 7 }, 'Someone did not show up for a meeting'],
  ['contact.updated', { contact: { name: 'Ada' } }, 'Contact Ada was changed'],
] as const)('%s %o is "%s"', (event, payload, sentence) => {
  expect(describeEvent({ event, payload })).toBe(sentence);
});

it('every kind has a sentence, whatever its payload lacks', () => {
  for (const event of allEventKinds)
    expect(describeEvent({ event, payload: {} })).toMatch(/^(?!.*(undefined|null)).{8,60}$/);
});
