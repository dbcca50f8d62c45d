// What a turn of the live rhythm works with: the service, its chance, and the newest records to choose from.
import type { Service } from '#src/sandbox/world/service.ts';
import type { Page, PageRequest } from '#src/http/pagination.ts';

export interface Stage {
  /** With a chain of choices of its own. */
  readonly service: Service;
  readonly organization: string;
}

/** One thing that happens; nothing, when there is nobody for it to happen to. */
export type Turn = (stage: Stage) => void;

/** A meeting, a form, a recap of the organization the rhythm is of: `user` hosts or owns it. */
export function isOurs({ service, organization }: Stage, user: string | undefined): boolean {
  return user !== undefined && service.state.users.get(user)?.current_organization === organization;
}

/** One of them, or nobody's. */
export function anyOf<Item>({ service }: Stage, items: readonly Item[]): Item | undefined {
  return items.length === 0 ? undefined : service.random.pick(items);
}

const lookedAt = 100;

/** One of the newest records that fit: a bounded look, however large the world is. */
export function someOf<Item>(stage: Stage, page: (request: PageRequest) => Page<Item>): Item | undefined {
  return anyOf(stage, page({ count: lookedAt, descending: true, backwards: false }).items);
}
