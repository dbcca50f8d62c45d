// Sample deliveries parse like the service's own, and all kinds of one seed describe the same booking.
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import { createSampler } from '#src/sandbox/sample-delivery.ts';

const now = new Date('2026-11-15T12:00:00Z');
const sampleOfOne = createSampler(1);
const kinds = Object.keys(eventKinds).filter(isEventKind);

describe('a sample delivery', () => {
  it.each(kinds)('of %s parses as a known delivery without remarks, of fictional people only', (kind) => {
    for (let index = 0; index < 10; index += 1) {
      const text = JSON.stringify(sampleOfOne(kind, { index, now }));
      expect(readDelivery(text)).toMatchObject({ state: 'known', event: kind, notes: [] });
      expect(text.match(/[\w.]+@[\w.]+/g)?.filter((address) => !address.endsWith('@example.test')) ?? []).toEqual([]);
    }
  });

  it.each(['invitee', 'invitee_no_show', 'contact', 'meeting_recap'] as const)(
    'of one seed and index tells of the same %s in every kind, whatever was made before it',
    (family) => {
      const uriOf = (kind: keyof typeof eventKinds) => {
        const { payload } = sample(kind, { index: 2, now });
        return payload['uri'] ?? (payload['recap'] as { uri: string }).uri;
      };
      const sample = createSampler(5);
      const [first, last] = [`${family}.created`, family === 'invitee' ? `${family}.canceled` : `${family}.deleted`];
      expect(uriOf(last as 'contact.deleted')).toBe(uriOf(first as 'contact.created'));
      const kind = first as 'contact.created';
      expect(sample(kind, { index: 3, now })).toEqual(createSampler(5)(kind, { index: 3, now }));
    },
  );
});
