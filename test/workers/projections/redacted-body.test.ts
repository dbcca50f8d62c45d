// What is kept of a fact about somebody forgotten.
import { describe, expect, it } from 'vitest';
import { stubOf } from '#workers/projections/redacted-body.ts';

describe('the stub of a forgotten fact', () => {
  it('keeps the kind, the subject and the times, and nothing else', () => {
    const record = {
      uri: 'https://x/1',
      name: 'Ada',
      created_at: '2025-04-14T11:42:33.000000Z',
      deleted_at: null,
      updated_at: { name: 'Ada' },
      emails: [],
    };
    const stub = stubOf({
      event: 'contact.updated',
      occurredAt: '2025-04-14T12:00:00.000000Z',
      uri: 'https://x/1',
      record,
    });
    expect(JSON.parse(stub)).toEqual({
      event: 'contact.updated',
      created_at: '2025-04-14T12:00:00.000000Z',
      payload: { uri: 'https://x/1', created_at: '2025-04-14T11:42:33.000000Z' },
    });
  });

  it('keeps only the subject of what could not be read', () => {
    const stub = stubOf({ event: null, occurredAt: null, uri: 'https://x/1', record: null });
    expect(JSON.parse(stub)).toEqual({ event: null, created_at: null, payload: { uri: 'https://x/1' } });
  });
});
