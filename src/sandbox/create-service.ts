// Creates the service in memory, without a server: its records seeded, its clock running, its facts handed to the caller.
import { createTokens, type Tokens } from '#src/sandbox/auth/tokens.ts';
import type { Progress } from '#src/sandbox/seed/history.ts';
import { seedWorld, type Handles, type WorldSize } from '#src/sandbox/seed/seed.ts';
import type { Fact, Service, ServiceOptions } from '#src/sandbox/world/service.ts';
import { createState } from '#src/sandbox/world/state.ts';
import { createClock } from './clock.ts';
import { randomOf } from './random.ts';

export interface ServicePlan extends WorldSize, ServiceOptions {}

export interface ServiceNeeds {
  /** The real clock, in milliseconds. */
  realMs(): number;
  /** Receives everything that happens after seeding. */
  emit(fact: Fact): void;
  readonly progress?: Progress;
}

export interface SeededService {
  readonly service: Service;
  readonly tokens: Tokens;
  readonly handles: Handles;
}

export function createService(plan: ServicePlan, { realMs, emit, progress }: ServiceNeeds): SeededService {
  const { contacts, bookings, ...options } = plan;
  const service: Service = {
    options,
    state: createState(),
    clock: createClock(realMs),
    random: randomOf(options.seed, 'service'),
    emit,
  };
  const tokens = createTokens(service);
  const seeding = { ...service, emit: () => undefined };
  const handles = seedWorld(seeding, tokens, { contacts, bookings, ...(progress && { progress }) });
  return { service, tokens, handles };
}
