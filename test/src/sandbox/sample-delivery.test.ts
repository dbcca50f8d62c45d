// Sample deliveries parse like the service's own, and all kinds of one seed describe the same booking.
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import { createSampler, type SampleDelivery } from '#src/sandbox/sample-delivery.ts';

const now = new Date('2026-11-15T12:00:00Z');
const sampleOfOne = createSampler(1);
const kinds = Object.keys(eventKinds).filter(isEventKind);

function uriOf({ payload }: SampleDelivery): unknown {
  const recap = payload['recap'] as { uri: string } | undefined;
  return payload['uri'] ?? recap?.uri;
}

describe('a sample delivery', () => {
  it.each(kinds)('of %s parses as a known delivery without remarks', (kind) => {
    for (let index = 0; index < 10; index += 1) {
      const read = readDelivery(JSON.stringify(sampleOfOne(kind, { index, now })));
      expect(read).toMatchObject({ state: 'known', event: kind, notes: [] });
    }
  });

  it('describes the same booking and the same person in every kind of one seed and index', () => {
    const uri = (kind: (typeof kinds)[number]) => uriOf(createSampler(5)(kind, { index: 2, now }));
    expect(uri('invitee.canceled')).toBe(uri('invitee.created'));
    expect(uri('invitee_no_show.deleted')).toBe(uri('invitee_no_show.created'));
    expect(uri('contact.deleted')).toBe(uri('contact.created'));
    expect(uri('meeting_recap.deleted')).toBe(uri('meeting_recap.created'));
  });

  it('does not depend on the deliveries made before it', () => {
    const [one, other] = [createSampler(5), createSampler(5)];
    for (const kind of kinds) for (let index = 0; index < 3; index += 1) one(kind, { index, now });
    for (const kind of kinds) expect(one(kind, { index: 3, now })).toEqual(other(kind, { index: 3, now }));
  });

  it('names only fictional people', () => {
    const text = JSON.stringify(kinds.map((kind) => sampleOfOne(kind, { index: 0, now })));
    expect(text.match(/[\w.]+@[\w.]+/g)?.filter((address) => !address.endsWith('@example.test'))).toEqual([]);
  });
});
