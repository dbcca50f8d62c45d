import { describe, expect, it } from 'vitest';
import { parseBatch } from '#workers/pipeline/parse.ts';

const receivedAt = '2025-04-14T12:00:00.000000Z';
const contactWith = (emails: number) =>
  JSON.stringify({
    event: 'contact.created',
    created_at: '2025-04-14T11:43:10Z',
    payload: {
      uri: 'https://api.example.test/contacts/1',
      emails: Array.from({ length: emails }, (_, n) => ({ email: `a${n}@example.test`, is_primary: n === 0 })),
    },
  });

describe('a delivery off the queue', () => {
  it('beyond a limit of the specification is noted and projected', () => {
    const [parsed] = parseBatch({ v: 1, deliveries: [{ body: contactWith(11), receivedAt }] }, receivedAt);
    expect(parsed?.entry.reason).toBe('Noted: emails: more than 10.');
    expect(parsed?.fact?.assignments).toHaveLength(1);
  });

  it('within the limits is projected without a word', () => {
    const [parsed] = parseBatch({ v: 1, deliveries: [{ body: contactWith(10), receivedAt }] }, receivedAt);
    expect(parsed?.entry.reason).toBeNull();
  });
});
