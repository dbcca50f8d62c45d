// Bootstrap as it is configured: who calls, with which key, to which address.
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { addKey, keyMarkOf, newKey, openKeyRing } from '#src/signing/key-ring.ts';
import type { Client } from '#src/upstream/client.ts';
import { openUpstream, openUserUpstreams, type UpstreamNeeds, type UpstreamOptions } from '#src/upstream/clients.ts';
import type { BootstrapInput } from './bootstrap.ts';
import type { Callers } from './list-existing.ts';

/** The address deliveries come to, without `?s=`. */
export function callbackOf({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  if (publicUrl === undefined)
    throw new SlotstreamError('config', 'PUBLIC_URL is not set, so the service cannot be told where to deliver.', {
      hint: 'Set it to the address at which the service reaches this receiver, without /webhooks: PUBLIC_URL=https://hooks.example.com',
    });
  const url = new URL(`${publicUrl}/webhooks`);
  if (url.search !== '' || url.hash !== '' || url.username !== '')
    throw new SlotstreamError('config', 'PUBLIC_URL holds a query, a fragment or a password; the callback cannot.', {
      hint: 'Give the bare address: PUBLIC_URL=https://hooks.example.com',
    });
  // In the one spelling that the service will give it back in.
  return url.href;
}

export interface CallerOptions extends UpstreamOptions {
  /** Ends every call that is under way, and every pause. */
  readonly signal?: AbortSignal | undefined;
}

export function callersOf(
  config: Config,
  needs: UpstreamNeeds = {},
  { signal, ...options }: CallerOptions = {},
): Callers {
  const { organizationUri } = config.api;
  const isElsewhere = (organization: string | null): boolean =>
    organization !== null && organizationUri !== undefined && organization !== organizationUri;
  const logins = openUserUpstreams(config, needs, options)
    .filter(({ organization }) => !isElsewhere(organization))
    .map(({ user, client }) => [user, stoppable(client, signal)] as const);
  return { main: stoppable(openUpstream(config, needs, options), signal), logins: new Map(logins) };
}

function stoppable(client: Client, signal: AbortSignal | undefined): Client {
  return {
    origin: client.origin,
    call: (call, options = {}) => client.call(call, { ...options, signal: options.signal ?? signal }),
    get waitedMs() {
      return client.waitedMs;
    },
  };
}

export interface KeyChoice {
  readonly callers: Callers;
  /** A new key is to take over. */
  readonly rotates: boolean;
  /** Nothing may be stored: a key that is needed and not there is imagined. */
  readonly isDry: boolean;
}

export interface KeysInUse {
  /** The first is registered. */
  readonly keys: readonly [string, ...string[]];
  readonly place: string;
  /** Made just now: running receivers need a moment to read it. */
  readonly isNew: boolean;
}

/** The keys to register and verify with; a new one is on disk before this returns. */
export function keysInUse(config: Pick<Config, 'api' | 'dataDir' | 'signing'>, choice: KeyChoice): KeysInUse {
  const { signing, dataDir, api } = config;
  const usesOAuth = api.token === undefined || choice.callers.logins.size > 0;
  if (signing.keys === undefined && usesOAuth) throw applicationKeyMissing();
  if (signing.keys !== undefined) {
    if (choice.rotates) throw cannotStore();
    const { keys } = signing;
    openKeyRing({ keys, dataDir, generate: false, allowUnsigned: false });
    return { keys: keys as [string, ...string[]], place: 'SIGNING_KEYS', isNew: false };
  }
  const place = join(dataDir, 'signing-keys');
  const ringOf = (generate: boolean) => openKeyRing({ keys: undefined, dataDir, generate, allowUnsigned: !generate });
  const [first, ...others] = ringOf(false).keysAt(0);
  if (first !== undefined && !choice.rotates) return { keys: [first, ...others], place, isNew: false };
  const old = first === undefined ? [] : [first, ...others];
  if (choice.isDry) return { keys: [newKey(), ...old], place, isNew: true };
  if (first !== undefined) return { keys: addKey(dataDir, newKey()), place, isNew: true };
  // Where `start` begins at the same moment, both end with the same key.
  const [made = newKey()] = ringOf(true).keysAt(0);
  return { keys: [made], place, isNew: true };
}

function applicationKeyMissing(): SlotstreamError {
  return new SlotstreamError(
    'config',
    'SIGNING_KEYS is not set. With OAuth the service signs every delivery with the one key of the application.',
    {
      hint: 'Set SIGNING_KEYS to the webhook signing key that the service showed when the OAuth application was made.',
    },
  );
}

function cannotStore(): SlotstreamError {
  return new SlotstreamError(
    'usage',
    'The signing keys come from SIGNING_KEYS, where a new one cannot be stored, so nothing was rotated.',
    {
      hint: 'Make a key (openssl rand -base64 32), set SIGNING_KEYS=<new>,<old> for every receiver and restart them, then run: npx slotstream bootstrap. It registers with the new one and says when the old one may go.',
    },
  );
}

/** What `config` asks for, with these keys. */
export function inputOf(config: Config, { keys }: KeysInUse, { prune }: { readonly prune: boolean }): BootstrapInput {
  const { organizationUri, userUri, groupUri } = config.api;
  const [first, ...others] = keys;
  return {
    settings: { organizationUri, userUri, groupUri },
    events: config.events,
    callback: callbackOf(config),
    keyIds: [keyMarkOf(first), ...others.map(keyMarkOf)],
    prune,
    countsMembers: true,
  };
}
