// A control is an operation beside the service, under /_sandbox: it does what people and time would do.
import { operationDefiner, type Operation } from '#src/http/operation.ts';
import type { FaultInjector } from '#src/sandbox/webhooks/faults.ts';
import type { WebhookDispatcher } from '#src/sandbox/webhooks/webhook-dispatcher.ts';
import type { Service } from '#src/sandbox/world/service.ts';

export interface ControlContext {
  readonly service: Service;
  readonly dispatcher: WebhookDispatcher;
  readonly faults: FaultInjector;
}

export type Control = Operation<ControlContext>;

export const defineControl = operationDefiner<ControlContext>();
