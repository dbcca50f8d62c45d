import { describe, expect, it } from 'vitest';
import { sentenceOf } from '#src/api/deliveries/sentences.ts';

const entry = {
  seq: 1,
  delivery_id: 'a',
  event: 'contact.read',
  received_at: '2025-01-01T00:00:00.000000Z',
  outcome: 'applied',
  redacted: false,
  encoding: null,
  body: '{"event":"contact.read","payload":{"name":"Ada"}}',
} as const;

describe('the sentence about a delivery', () => {
  it.each([
    [{}, 'contact Ada was read from the service'],
    [{ event: 'organization_membership.read', body: '{}' }, 'organization membership was read from the service'],
    [{ event: 'contact.updated' }, 'contact Ada was changed'],
    [{ event: 'contact.merged' }, 'a delivery of the unknown kind contact.merged'],
    [{ event: null, body: 'no JSON' }, 'a delivery that could not be parsed'],
    [{ redacted: true }, 'contact.read, whose content was removed'],
    [{ event: 'contact.deleted', redacted: true }, 'a contact was deleted and redacted'],
    [{ event: 'meeting_recap.gone', redacted: true }, 'the service no longer has the meeting recap'],
    [{ event: 'person.erased' }, 'a person was erased'],
    [{ event: 'person.erased', outcome: 'unhandled' }, 'a delivery of the unknown kind person.erased'],
    [{ event: 'contact.gone', outcome: 'unhandled' }, 'a delivery of the unknown kind contact.gone'],
    [{ body: null }, 'contact.read, whose content was removed'],
    [{ event: 'contact.updated', body: 'x'.repeat(100_000) }, 'contact an unnamed person was changed'],
  ])('of %j is "%s"', (more, sentence) => {
    expect(sentenceOf({ ...entry, ...more })).toBe(sentence);
  });
});
