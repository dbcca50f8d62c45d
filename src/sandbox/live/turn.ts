// What a turn of the live rhythm works with: the service, its chance, and the newest records to choose from.
import type { Service } from '../world/service.ts';
import type { Page, PageRequest } from '../world/page.ts';

export interface Stage {
  /** With a chain of choices of its own. */
  readonly service: Service;
  readonly organization: string;
}

/** One thing that happens; nothing, when there is nobody for it to happen to. */
export type Turn = (stage: Stage) => void;

const lookedAt = 100;

/** One of the newest records that fit: a bounded look, however large the world is. */
export function someOf<Item>({ service }: Stage, page: (request: PageRequest) => Page<Item>): Item | undefined {
  const { items } = page({ count: lookedAt, descending: true, backwards: false });
  return items.length === 0 ? undefined : service.random.pick(items);
}
