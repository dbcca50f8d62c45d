// Samples read as the service's own deliveries, and the story they tell holds together.
import { describe, expect, it } from 'vitest';
import { readDelivery } from '#schemas/delivery.ts';
import { eventKinds, isEventKind } from '#schemas/events.ts';
import { sampleDelivery } from '#src/samples/deliveries.ts';
import type { SampleDelivery } from '#src/samples/sample.ts';
import { sampleStream } from '#src/samples/stream.ts';
import { inWords } from '#src/samples/describe.ts';

const now = new Date('2026-11-15T12:00:00Z');
const kinds = Object.keys(eventKinds).filter(isEventKind);

function take(count: number, seed = 7): readonly SampleDelivery[] {
  return sampleStream({ seed, now: () => now })
    .take(count)
    .toArray();
}

function uriOf({ payload }: SampleDelivery): unknown {
  const recap = payload['recap'] as { uri: string } | undefined;
  return payload['uri'] ?? recap?.uri;
}

describe('a sample delivery', () => {
  it.each(kinds)('of %s can be told in a few words', (kind) => {
    expect(inWords(sampleDelivery(kind, { seed: 1, index: 1, now }))).toMatch(
      /^(?!.*(undefined|null|\[object)).{8,100}$/,
    );
  });

  it.each(kinds)('of %s reads as a known delivery without remarks', (kind) => {
    for (let index = 0; index < 20; index += 1) {
      const read = readDelivery(JSON.stringify(sampleDelivery(kind, { seed: 1, index, now })));
      expect(read).toMatchObject({ state: 'known', event: kind, notes: [] });
    }
  });

  it('is the same for the same seed and differs for another', () => {
    const make = (seed: number) => sampleDelivery('invitee.created', { seed, index: 3, now });
    expect(make(1)).toEqual(make(1));
    expect(uriOf(make(1))).not.toBe(uriOf(make(2)));
  });

  it('speaks of the same booking and the same person in every kind of one seed and index', () => {
    const uri = (kind: (typeof kinds)[number]) => uriOf(sampleDelivery(kind, { seed: 5, index: 2, now }));
    expect(uri('invitee.canceled')).toBe(uri('invitee.created'));
    expect(uri('invitee_no_show.deleted')).toBe(uri('invitee_no_show.created'));
    expect(uri('contact.deleted')).toBe(uri('contact.created'));
    expect(uri('meeting_recap.deleted')).toBe(uri('meeting_recap.created'));
  });

  it('names only people who cannot exist', () => {
    const text = JSON.stringify(kinds.map((kind) => sampleDelivery(kind, { seed: 1, index: 0, now })));
    expect(text.match(/[\w.]+@[\w.]+/g)?.filter((address) => !address.endsWith('@example.test'))).toEqual([]);
  });
});

describe('the sample story', () => {
  const story = take(5_000);

  it('tells nearly every kind, each one readable', () => {
    expect(new Set(story.map(({ event }) => event)).size).toBeGreaterThanOrEqual(13);
    expect(story.filter((delivery) => readDelivery(JSON.stringify(delivery)).state !== 'known')).toEqual([]);
  });

  it('is the same for the same seed', () => {
    expect(take(200)).toEqual(take(200));
  });

  it('never tells two facts of one instant', () => {
    expect(new Set(story.map(({ created_at }) => created_at)).size).toBe(story.length);
  });

  it('cancels, marks, updates and deletes only what it has told before', () => {
    const told = new Set<unknown>();
    const strangers = story.filter((delivery) => {
      const isFirst = delivery.event.endsWith('.created') && delivery.event !== 'invitee_no_show.created';
      if (isFirst) told.add(uriOf(delivery));
      return !isFirst && !told.has(uriOf(delivery));
    });
    expect(strangers).toEqual([]);
  });

  it('joins both halves of every reschedule', () => {
    const created = new Map(story.filter(({ event }) => event === 'invitee.created').map((one) => [uriOf(one), one]));
    const rescheduled = story.filter(({ payload }) => payload['rescheduled'] === true);
    expect(rescheduled.length).toBeGreaterThan(50);
    const halves = rescheduled
      .slice(0, -1)
      .filter((old) => created.get(old.payload['new_invitee'])?.payload['old_invitee'] === uriOf(old));
    expect(halves).toHaveLength(rescheduled.length - 1);
  });
});
