// A control is an operation beside the service, under /_sandbox: it does what people and time would do.
import type { z } from 'zod';
import { operationDefiner, type Call, type Operation } from '#src/http/operation.ts';
import type { FaultInjector } from '#src/sandbox/webhooks/faults.ts';
import type { WebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface ControlContext {
  readonly service: Service;
  readonly dispatcher: WebhookDispatcher;
  readonly faults: FaultInjector;
}

export type Control = Operation<ControlContext>;

const define = operationDefiner<ControlContext>();

interface Details<Query extends z.ZodType, Body extends z.ZodType> {
  readonly summary: string;
  /** `{resource: …}`, or JSON in a shape of its own. */
  readonly answers: 'resource' | 'object';
  readonly query?: Query;
  readonly body?: Body;
  run(call: Call<ControlContext, z.output<Query>, z.output<Body>>): object | Promise<object>;
}

/** The `operationId` follows from method and path: `postInviteesCancel`. */
export function control<Query extends z.ZodType = z.ZodUnknown, Body extends z.ZodType = z.ZodUnknown>(
  method: Control['method'],
  path: string,
  details: Details<Query, Body>,
): Control {
  const id = method.toLowerCase() + path.replaceAll(/[/_](\w)/g, (_, letter: string) => letter.toUpperCase());
  return define({ ...details, id, method, path });
}
