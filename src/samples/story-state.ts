// What the sample story remembers, and how it tells a fact. Each family has its chapters in a file of its own.
import type { EventKind } from '#schemas/events.ts';
import type { ContactCard } from './contact.ts';
import type { Booking } from './invitee.ts';
import type { Recap } from './meeting-recap.ts';
import type { Random } from './random.ts';
import { wireTime } from './sample.ts';
import type { JsonRecord, SampleDelivery } from './sample.ts';
import type { Meeting } from './scheduled-event.ts';
import type { World } from './sample-organization.ts';

/** What the story remembers. Bounded: an endless stream must not grow without end. */
export interface Story {
  readonly world: World;
  readonly random: Random;
  /** Strictly later at every call, so that no two facts of the story share an instant. */
  readonly tick: () => number;
  readonly contacts: ContactCard[];
  readonly bookings: Booking[];
  readonly noShows: Booking[];
  readonly recaps: Recap[];
  readonly groups: Map<string, Meeting>;
}

export type Chapter = (story: Story) => Generator<SampleDelivery>;

const remembered = 400;

export function tell({ world, tick }: Story, event: EventKind, payload: (atMs: number) => JsonRecord): SampleDelivery {
  const atMs = tick();
  return {
    event,
    payload: payload(atMs),
    created_at: wireTime(atMs),
    created_by: world.hosts[0]?.uri ?? world.organization,
  };
}

export function some<Item>({ random }: Story, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : random.pick(items);
}

export function take<Item>({ random }: Story, items: Item[]): Item | undefined {
  return items.length === 0 ? undefined : items.splice(random.int(0, items.length - 1), 1)[0];
}

export function remember<Item>(items: Item[], item: Item): void {
  items.push(item);
  if (items.length > remembered) items.shift();
}
