import { describe, expect, it } from 'vitest';
import { pollingCheck } from '#src/read/health/polling-health.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');

describe('a mirror without webhooks', () => {
  it('says how often it is updated, and how old each part is', () => {
    const ages = { contacts: nowMs - 125_000, recaps: undefined, users: nowMs + 5 };
    expect(pollingCheck({ everyMs: 300_000, ages }, nowMs)).toEqual({
      id: 'polling',
      page: '/mirror/sync',
      state: 'ok',
      sentence: 'Updated every 5 minutes, without webhooks: contacts 2 min ago; recaps not yet; users 0 ms ago.',
    });
    expect(pollingCheck({ everyMs: 61_000, ages: {} }, nowMs).sentence).toContain('every 2 minutes,');
  });
});
