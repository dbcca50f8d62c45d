// What a control is: a lever beside the service, under /_sandbox, for what people and time would do. A new one = one value in a
// leaf file + one line in controls.ts.
import type { z } from 'zod';
import type { WebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import type { FaultInjector } from '#src/sandbox/webhooks/faults.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface ControlNeeds {
  readonly service: Service;
  readonly dispatcher: WebhookDispatcher;
  readonly faults: FaultInjector;
}

interface ControlPlan<Body extends z.ZodType> {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Beneath `/_sandbox`: `/no_shows`. */
  readonly path: string;
  readonly summary: string;
  /** A GET has its query instead. */
  readonly body?: Body;
  /** Returns what is answered, as JSON, or the whole answer where it is too long for one piece. Throws a refusal. */
  run(needs: ControlNeeds, body: z.output<Body>): object | Promise<object>;
}

export type Control = ControlPlan<z.ZodType>;

/** Ties the type of `run` to the schema declared beside it. */
export function defineControl<Body extends z.ZodType = z.ZodUnknown>(plan: ControlPlan<Body>): Control {
  return plan as unknown as Control;
}
