// The plan of subscriptions, for any existing subscriptions, any configuration and any logins. A run that was interrupted:
// bootstrap-races.test.ts.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractOf, type EventKind } from '#schemas/events.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { isPending, planSubscriptions, type PlanInput, type Step } from '#src/subscriptions/plan.ts';
import { desiredSubscriptions } from '#src/subscriptions/desired.ts';
import { anyInput, callback, carryOut, deliveredTo } from '../../oracle/subscriptions.ts';
import { propertyTimeoutMs, runs } from '../../harness/runs.ts';

const isOurOwn = (one: PlanInput['existing'][number]): boolean => isOurs(callback, one);

const slow = { timeout: propertyTimeoutMs };

function forAll(property: (input: PlanInput) => void): void {
  fc.assert(fc.property(anyInput, property), runs(120));
}

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...all].filter((one) => !others.has(one));

function wishesOf(input: PlanInput): ReadonlySet<string> {
  return deliveredTo(desiredSubscriptions(input).map(({ owner, events }) => subscriptionLike(owner, events)));
}

function subscriptionLike(
  owner: ReturnType<typeof desiredSubscriptions>[number]['owner'],
  events: readonly EventKind[],
): PlanInput['existing'][number] {
  const { scope, organization, uri } = owner;
  return { uri, scope, organization, user: uri, group: uri, state: 'active', events: [...events] };
}

const endedSubscriptions = (step: Step): readonly string[] => (step.kind === 'delete' ? [step.existing.uri] : []);

it('desired is every event once, under a scope that it allows, in one subscription per family and owner', slow, () => {
  forAll((input) => {
    const desired = desiredSubscriptions(input);
    for (const { owner, family, events, optional } of desired) {
      for (const event of events) expect(contractOf(event).allowedScopes).toContain(owner.scope);
      expect(new Set(events.map((event) => contractOf(event).family))).toEqual(new Set([family]));
      expect(optional).toBe(family === 'event-type');
    }
    const places = desired.flatMap(({ owner, events }) => events.map((event) => `${owner.uri} ${event}`));
    expect(new Set(places).size).toBe(places.length);
    const rows = desired.map(({ owner, family }) => `${owner.scope} ${owner.uri} ${family}`);
    expect(new Set(rows).size).toBe(rows.length);
    const possible = input.events.filter(
      (event) => contractOf(event).allowedScopes.includes('organization') || input.recapUsers.length > 0,
    );
    const got = new Set(desired.flatMap(({ events }) => events));
    expect([...got].toSorted()).toEqual([...new Set(possible)].toSorted());
  });
});

describe('a plan', () => {
  it('leads to exactly what is desired, changes nothing that is not ours, and the second does nothing', slow, () => {
    forAll((input) => {
      const after = carryOut(input.existing, planSubscriptions(input));
      const again = planSubscriptions({ ...input, existing: after });
      expect(again.filter(isPending)).toEqual([]);
      expect(again.filter(({ kind }) => kind === 'keep')).toHaveLength(desiredSubscriptions(input).length);
      const others = (all: PlanInput['existing']) => all.filter((one) => !isOurOwn(one));
      expect(others(after)).toEqual(others(input.existing));
      const ours = after.filter(isOurOwn);
      expect(without(wishesOf(input), deliveredTo(ours))).toEqual([]);
      if (input.prune) {
        expect(deliveredTo(ours)).toEqual(wishesOf(input));
        expect(ours).toHaveLength(desiredSubscriptions(input).length);
      }
    });
  });

  it('makes before it breaks: whatever was delivered and is desired is delivered at every moment', slow, () => {
    forAll((input) => {
      const steps = planSubscriptions(input);
      const wishes = wishesOf(input);
      const promised = new Set([...deliveredTo(input.existing.filter(isOurOwn))].filter((one) => wishes.has(one)));
      for (let acts = 0; acts <= steps.length + input.existing.length; acts += 1) {
        const meanwhile = carryOut(input.existing, steps, acts);
        expect(without(promised, deliveredTo(meanwhile.filter(isOurOwn)))).toEqual([]);
      }
    });
  });

  it('does not depend on the order of the input', slow, () => {
    forAll((input) => {
      const turned = {
        ...input,
        events: input.events.toReversed(),
        existing: input.existing.map((one) => ({ ...one, events: one.events?.toReversed() })).toReversed(),
      };
      const urls = (steps: readonly Step[]) => steps.map((step) => ('url' in step ? step.url : '')).toSorted();
      expect(urls(planSubscriptions(turned))).toEqual(urls(planSubscriptions(input)));
      expect(planSubscriptions(turned).flatMap(endedSubscriptions).toSorted()).toEqual(
        planSubscriptions(input).flatMap(endedSubscriptions).toSorted(),
      );
    });
  });
});
