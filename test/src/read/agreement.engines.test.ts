// Every number is the same through every door, on both engines: views, operations of the API, pages, tools, exported files, sent messages
// and the weekly summary say what a model says that shares no code with the product, about one world with every boundary.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Store } from '#src/store/contract.ts';
import { applySettings } from '#src/store/settings-row.ts';
import { factsOf, orders, tell } from '../../harness/data/boundary-facts.ts';
import { boundaryWorld, reportZone } from '../../harness/data/boundary-world.ts';
import type { AskedNumber } from '../../harness/mirror/asked-number.ts';
import { numbersOfBookings } from '../../harness/mirror/booking-numbers.ts';
import { openDoors, viewsOf, type Doors } from '../../harness/mirror/number-doors.ts';
import { numbersOfPeople } from '../../harness/mirror/people-numbers.ts';
import { numbersOfRates } from '../../harness/mirror/rate-numbers.ts';
import { viewMutations, withMistake } from '../../harness/mirror/view-mutations.ts';
import { openedOnce } from '../../harness/opened.ts';
import { availableEngines, type TestStore } from '../../harness/stores.ts';
import { modelOf } from '../../oracle/bookings.ts';

const world = boundaryWorld(Date.now());
const model = modelOf(world);
const numbers: Readonly<Record<string, AskedNumber>> = { ...numbersOfBookings, ...numbersOfRates, ...numbersOfPeople };

/**
 * Doors that say something else today, by number. Each has to differ: one that agrees is taken off the list.
 */
const notYet: Readonly<Record<string, string>> = {};

const isNotYet = (number: string, door: string): boolean => notYet[number]?.split(' ').includes(door) ?? false;
const all = Object.entries(numbers);
const pairs = all.flatMap(([number, { doors }]) => Object.keys(doors).map((door) => `${number}: ${door}`));

/** The numbers of views that agree. */
const agreeing = all.flatMap(([name, { expected, doors }]) =>
  doors['view'] === undefined || isNotYet(name, 'view') ? [] : [{ name, expected, ask: doors['view'] }],
);

describe('the doors that differ', () => {
  it('are doors of numbers', () => {
    const listed = Object.entries(notYet).flatMap(([number, doors]) =>
      doors.split(' ').map((door) => `${number}: ${door}`),
    );
    expect(listed.filter((pair) => !pairs.includes(pair))).toEqual([]);
  });
});

describe.each(availableEngines)('every number on $name', ({ fresh }) => {
  const inBerlin = async (): Promise<TestStore> => {
    const opened = await fresh({ reportTimezone: reportZone });
    await applySettings(opened.store, { reportTimezone: reportZone }, '2025-01-01T00:00:00.000000Z');
    return opened;
  };
  const opened = openedOnce(() => openDoors(inBerlin, world, factsOf(world)));
  const doorsTo = (store: Store): Doors => ({ ...opened.doors, view: viewsOf(store) });

  it.each(all)('%s', async (number, { expected, doors }) => {
    const said = expected(model);
    for (const [door, ask] of Object.entries(doors)) {
      const answer = { door, says: await ask(opened.doors) };
      if (isNotYet(number, door)) expect(answer).not.toEqual({ door, says: said });
      else expect(answer).toEqual({ door, says: said });
    }
  });

  it.each(Object.entries(orders).slice(1))('is the same when it arrives %s', async (_order, ordered) => {
    await using other = await inBerlin();
    await tell(other.store, world, ordered(factsOf(world)));
    const doors = doorsTo(other.store);
    for (const { name, expected, ask } of agreeing)
      expect({ name, says: await ask(doors) }).toEqual({ name, says: expected(model) });
  });

  it.each(viewMutations)('differs where in $view $mistake', async (mutation) => {
    const differing = await withMistake(opened.store, mutation, async () => {
      const doors = doorsTo(opened.store);
      const found: string[] = [];
      for (const { name, expected, ask } of agreeing)
        if (!isDeepStrictEqual(await ask(doors), expected(model))) found.push(name);
      return found;
    });
    expect(differing).not.toEqual([]);
  });
});
