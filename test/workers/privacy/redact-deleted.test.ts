// The stub that remains of an entry about a deleted contact.
import { describe, expect, it } from 'vitest';
import { blankEntry } from '#workers/pipeline/parse.ts';
import { redactedBody } from '#workers/privacy/redact-deleted.ts';

const entry = {
  ...blankEntry,
  event: 'contact.updated',
  occurred_at: '2025-04-14T12:00:00.000000Z',
  subject_uri: 'https://x/1',
};

describe('a redacted body', () => {
  it('has the kind, the subject and the times, and nothing else', () => {
    const record = {
      uri: 'https://x/1',
      name: 'Ada',
      created_at: '2025-04-14T11:42:33.000000Z',
      deleted_at: null,
      updated_at: { name: 'Ada' },
      emails: [],
    };
    expect(JSON.parse(redactedBody(entry, record))).toEqual({
      event: 'contact.updated',
      created_at: '2025-04-14T12:00:00.000000Z',
      payload: { uri: 'https://x/1', created_at: '2025-04-14T11:42:33.000000Z' },
    });
  });

  it('has only the subject when the entry could not be parsed', () => {
    const unparsed = { ...entry, event: null, occurred_at: null };
    expect(JSON.parse(redactedBody(unparsed, null))).toEqual({
      event: null,
      created_at: null,
      payload: { uri: 'https://x/1' },
    });
  });

  it('has no time of observation when the entry was read from the API: that time moves', () => {
    expect(JSON.parse(redactedBody({ ...entry, source: 'reconcile' }, null))).toMatchObject({ created_at: null });
  });
});
