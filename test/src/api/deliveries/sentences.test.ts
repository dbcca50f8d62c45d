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
  it.each<readonly [more: Partial<Parameters<typeof sentenceOf>[0]>, sentence: string]>([
    [{}, 'Contact Ada was read from the service'],
    [{ event: 'organization_membership.read', body: '{}' }, 'Organization membership was read from the service'],
    [{ event: 'contact.updated' }, 'Contact Ada was changed'],
    [{ event: 'contact.updated', outcome: 'quarantined' }, 'Not applied: Contact Ada was changed'],
    [{ event: 'contact.created', outcome: 'quarantined', body: '{}' }, 'Not applied: contact.created'],
    [{ event: 'contact.merged' }, 'A delivery of the unknown kind contact.merged'],
    [{ event: null, body: 'no JSON' }, 'A delivery that could not be parsed'],
    [{ redacted: true }, 'The content of contact.read was removed'],
    [{ event: 'contact.deleted', redacted: true }, 'A contact was deleted and redacted'],
    [{ event: 'meeting_recap.gone', redacted: true }, 'The service no longer has the meeting recap'],
    [{ event: 'person.erased' }, 'A person was erased'],
    [{ event: 'person.erased', outcome: 'unhandled' }, 'A delivery of the unknown kind person.erased'],
    [{ event: 'contact.gone', outcome: 'unhandled' }, 'A delivery of the unknown kind contact.gone'],
    [{ body: null }, 'The content of contact.read was removed'],
    [{ event: 'contact.updated', body: 'x'.repeat(100_000) }, 'Contact Someone was changed'],
  ])('of %j is "%s"', (more, sentence) => {
    expect(sentenceOf({ ...entry, ...more })).toBe(sentence);
  });
});
