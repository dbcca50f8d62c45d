// The plan of subscriptions, whatever exists, whatever is asked for, whoever logged in.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contractOf, type EventKind } from '#schemas/events.ts';
import { isOurs } from '#src/subscriptions/callback.ts';
import { isPending, planSubscriptions, type PlanInput, type Step } from '#src/subscriptions/plan.ts';
import { wantedOf } from '#src/subscriptions/desired.ts';
import { anyInput, callback, carryOut, deliveredTo } from '../../oracle/subscriptions.ts';
import { patienceMs, runs } from '../../harness/runs.ts';

const isOurOwn = (one: PlanInput['existing'][number]): boolean => isOurs(callback, one);

function forAll(property: (input: PlanInput) => void): void {
  fc.assert(fc.property(anyInput, property), runs(200));
}

const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...all].filter((one) => !others.has(one));

function wishesOf(input: PlanInput): ReadonlySet<string> {
  return deliveredTo(wantedOf(input).map(({ owner, events }) => subscriptionLike(owner, events)));
}

function subscriptionLike(
  owner: ReturnType<typeof wantedOf>[number]['owner'],
  events: readonly EventKind[],
): PlanInput['existing'][number] {
  const { scope, organization, uri } = owner;
  return { uri, scope, organization, user: uri, group: uri, state: 'active', events: [...events] };
}

const endedBy = (step: Step): readonly string[] =>
  step.kind === 'delete'
    ? [step.existing.uri]
    : step.kind === 'replace'
      ? step.replaces.map(({ existing }) => existing.uri)
      : [];

describe('what is wanted', () => {
  it('covers every event once, under a scope the event allows', { timeout: patienceMs }, () => {
    forAll((input) => {
      const wanted = wantedOf(input);
      for (const { owner, events } of wanted)
        for (const event of events) expect(contractOf(event).allowedScopes).toContain(owner.scope);
      const places = wanted.flatMap(({ owner, events }) => events.map((event) => `${owner.uri} ${event}`));
      expect(new Set(places).size).toBe(places.length);
      const got = new Set(wanted.flatMap(({ events }) => events));
      const possible = input.events.filter(
        (event) => contractOf(event).allowedScopes.includes('organization') || input.recapUsers.length > 0,
      );
      expect([...got].toSorted()).toEqual([...new Set(possible)].toSorted());
    });
  });

  it('is as few as the scopes allow: one an owner, and `event_type.*` apart', { timeout: patienceMs }, () => {
    forAll((input) => {
      const wanted = wantedOf(input);
      const slots = wanted.map(({ owner, optional }) => `${owner.scope} ${owner.uri} ${optional}`);
      expect(new Set(slots).size).toBe(slots.length);
      for (const { events, optional } of wanted)
        expect(events.every((event) => event.startsWith('event_type.') === optional)).toBe(true);
    });
  });
});

describe('a plan', () => {
  it('leads to exactly what is wanted, and the second does nothing', { timeout: patienceMs }, () => {
    forAll((input) => {
      const after = carryOut(input.existing, planSubscriptions(input));
      const again = planSubscriptions({ ...input, existing: after });
      expect(again.filter(isPending)).toEqual([]);
      expect(again.filter(({ kind }) => kind === 'keep')).toHaveLength(wantedOf(input).length);
      const ours = after.filter(isOurOwn);
      expect(without(wishesOf(input), deliveredTo(ours))).toEqual([]);
      if (input.prune) {
        expect(deliveredTo(ours)).toEqual(wishesOf(input));
        expect(ours).toHaveLength(wantedOf(input).length);
      }
    });
  });

  it('never touches what is not ours', { timeout: patienceMs }, () => {
    forAll((input) => {
      const strangers = input.existing.filter((one) => !isOurOwn(one));
      const after = carryOut(input.existing, planSubscriptions(input));
      expect(after.filter((one) => !isOurOwn(one))).toEqual(strangers);
    });
  });

  it('ends nothing of ours that nobody replaces, unless pruning was asked for', { timeout: patienceMs }, () => {
    forAll((input) => {
      const steps = planSubscriptions({ ...input, prune: false });
      const ended = new Set(steps.flatMap(endedBy));
      const wanted = wantedOf(input);
      for (const one of input.existing.filter(({ uri }) => ended.has(uri)))
        expect(wanted.some(({ events }) => events.some((event) => one.events?.includes(event)))).toBe(true);
    });
  });

  it(
    'makes before it breaks: whatever was delivered and is wanted is delivered at every moment',
    { timeout: patienceMs },
    () => {
      forAll((input) => {
        const steps = planSubscriptions(input);
        const wishes = wishesOf(input);
        const promised = new Set([...deliveredTo(input.existing.filter(isOurOwn))].filter((one) => wishes.has(one)));
        for (let acts = 0; acts <= steps.length + input.existing.length; acts += 1) {
          const meanwhile = carryOut(input.existing, steps, acts);
          expect(without(promised, deliveredTo(meanwhile.filter(isOurOwn)))).toEqual([]);
        }
      });
    },
  );

  it('is taken up where an interrupted run left off', { timeout: patienceMs }, () => {
    forAll((input) => {
      const steps = planSubscriptions(input);
      const whole = carryOut(input.existing, steps);
      for (let acts = 0; acts <= steps.length + input.existing.length; acts += 1) {
        const broken = carryOut(input.existing, steps, acts);
        const mended = carryOut(broken, planSubscriptions({ ...input, existing: broken }));
        expect(urlsOf(mended)).toEqual(urlsOf(whole));
      }
    });
  });

  it('is the same in whatever order things are named', { timeout: patienceMs }, () => {
    forAll((input) => {
      const turned = {
        ...input,
        events: input.events.toReversed(),
        existing: input.existing.map((one) => ({ ...one, events: one.events?.toReversed() })).toReversed(),
      };
      const urls = (steps: readonly Step[]) => steps.map((step) => ('url' in step ? step.url : '')).toSorted();
      expect(urls(planSubscriptions(turned))).toEqual(urls(planSubscriptions(input)));
      expect(planSubscriptions(turned).flatMap(endedBy).toSorted()).toEqual(
        planSubscriptions(input).flatMap(endedBy).toSorted(),
      );
    });
  });
});

const urlsOf = (all: PlanInput['existing']): readonly unknown[] => all.map(({ callback_url: url }) => url).toSorted();
