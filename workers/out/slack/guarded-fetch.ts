// The connections of a Slack app, guarded as those of other channels are: the resolved address is checked, and it is the one connected to. That
// includes the WebSocket, whose address an answer of Slack names.
import type { Duplex } from 'node:stream';
import type { FetchFunction } from '@slack/web-api';
import { Agent, buildConnector, fetch, type RequestInit } from 'undici';
import { AddressRefusal, guardAddresses, type OutgoingNeeds } from '#src/egress/http.ts';

const timeoutMs = 10_000;
const setting = 'ALERT_ALLOW_PRIVATE';

class EncryptionRefusal extends AddressRefusal {
  constructor() {
    super(setting, 'it is an address without encryption');
  }
}

export interface GuardedFetch {
  readonly fetch: FetchFunction;
  /** For WebSockets. */
  readonly dispatcher: Agent;
  /** Ends every connection, also those that a WebSocket has taken over. */
  close(): void;
}

/** Private addresses, `http:` and `ws:` are refused, unless `allowPrivate`. */
export function openGuardedFetch(
  { allowPrivate }: { readonly allowPrivate: boolean },
  needs: OutgoingNeeds = {},
): GuardedFetch {
  const guard = guardAddresses(needs, { allowPrivate, setting });
  const connect = buildConnector({ timeout: timeoutMs, allowH2: false, lookup: guard.lookup });
  const sockets = new Set<Duplex>();
  const dispatcher = new Agent({
    connect(options, callback) {
      const isRefused = options.protocol !== 'https:' && !allowPrivate;
      const refusal = isRefused ? new EncryptionRefusal() : guard.refusalOf(options.hostname);
      if (refusal !== undefined) return callback(refusal, null);
      connect(options, (...result) => {
        const socket = result[1];
        // Undefined where there is none, whatever its type says.
        if (socket) sockets.add(socket.once('close', () => sockets.delete(socket)));
        callback(...result);
      });
    },
  });
  return {
    dispatcher,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of undici are newer than those of Node, which Slack uses
    fetch: ((url, init) => fetch(url, { ...(init as RequestInit), dispatcher })) as FetchFunction,
    close() {
      void dispatcher.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** The refusal that made a call fail, however deep the packages have wrapped it. */
export function refusalIn(error: unknown): AddressRefusal | undefined {
  if (error instanceof AddressRefusal) return error;
  if (!(error instanceof Error)) return undefined;
  return refusalIn('original' in error ? error.original : error.cause);
}
