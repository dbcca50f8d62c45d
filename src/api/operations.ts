// Every operation of the API that reads the mirror, and the application that serves them. It is loaded by the first request:
// most processes never get one.
import { Hono, type Context } from 'hono';
import { createCursors } from '#src/http/cursor.ts';
import { titledError, withStatusTitle } from '#src/http/http-error.ts';
import { addOperations, handleErrors, limitBody } from '#src/http/router.ts';
import { alertOperations } from './alerts.ts';
import type { ApiContext, ApiOperation } from './api-operation.ts';
import { createAudit } from './audit.ts';
import type { Caller } from '#src/api/auth/browser.ts';
import { dismissOperations } from './deliveries/dismiss.ts';
import { replayDeliveries } from './deliveries/bulk-replay.ts';
import { getBooking } from './bookings/get-booking.ts';
import { listBookings } from './bookings/list-bookings.ts';
import { listNoShows } from './bookings/no-shows.ts';
import { contactOperations } from './contacts.ts';
import { deliveryOperations, listQuarantine } from './deliveries/deliveries.ts';
import { feedConsumerOperations } from './feed-consumers.ts';
import { feedOperations } from './feed.ts';
import { numberOperations } from './numbers/numbers.ts';
import { inviteeOperations, scheduledEventOperations } from './scheduled-events.ts';
import { getMirrorHealth } from './overview/overview.ts';
import { peopleOperations } from './people/people.ts';
import { recapOperations } from './people/recaps.ts';
import { routingOperations } from './people/routing.ts';
import { subscriptionOperations } from './subscriptions.ts';
import { whyOperations } from './why.ts';

const operations: readonly ApiOperation[] = [
  getMirrorHealth,
  ...feedOperations,
  ...feedConsumerOperations,
  ...contactOperations,
  ...peopleOperations,
  ...scheduledEventOperations,
  ...inviteeOperations,
  ...numberOperations,
  ...routingOperations,
  ...recapOperations,
  listBookings,
  getBooking,
  listNoShows,
  ...whyOperations,
  ...deliveryOperations,
  listQuarantine,
  replayDeliveries,
  ...dismissOperations,
  ...subscriptionOperations,
  ...alertOperations,
];

/** Who calls, for the record of actions. */
type ReadEnv = { Bindings: { caller?: Caller } };

export interface ReadApiNeeds extends Omit<ApiContext, 'streams' | 'replaying' | 'cursors' | 'caller'> {
  /** Signs page tokens. */
  readonly secret: string;
  /** Is called with the id of every audited operation that was done. */
  acted?(operation: string): void;
}

export function createReadApi({ secret, acted, ...needs }: ReadApiNeeds) {
  const cursors = createCursors(secret, { nowMs: () => needs.clock() });
  const context: ApiContext = { ...needs, cursors, streams: new Map(), replaying: { isRunning: false } };
  const audit = createAudit(context, operations);
  const app = new Hono<ReadEnv>();
  handleErrors(app, {
    noSuchPath: titledError(404, 'There is nothing at this path.'),
    report: needs.report,
  });
  app.use(limitBody((message) => titledError(413, message)));
  addOperations(
    app,
    {
      cursors,
      admit: (_operation, http: Context<ReadEnv>) => ({ ...context, caller: http.env?.caller }),
      methodErrors: true,
      errorOf: (error, { conventions }) => (conventions === 'service' ? error : withStatusTitle(error)),
      async begin(operation, http: Context<ReadEnv>, input) {
        const { audited = false } = operation;
        if (!(typeof audited === 'function' ? audited(input.body) : audited)) return undefined;
        const end = await audit.begin(operation, http.env?.caller, input);
        return async (status, body) => {
          if (status < 400) acted?.(operation.id);
          await end(status, body);
        };
      },
    },
    operations,
  );
  return {
    operations,
    context,
    /** In the name of this caller. */
    fetch: (request: Request, caller?: Caller) => app.fetch(request, caller && { caller }),
    refused: audit.refused,
    record: audit.begin,
    request: app.request,
  };
}
