// Builds the input of bootstrap from the configuration: clients, signing keys, callback URL.
import { slotstream } from '#src/base/command.ts';
import { join } from 'node:path';
import type { Config } from '#src/config/load.ts';
import { SlotstreamError } from '#src/base/errors.ts';
import { addKey, keyMarkOf, newKey, openKeyRing } from '#src/signing/key-ring.ts';
import type { Client } from '#src/upstream/client.ts';
import { openUpstream, openUserUpstreams, type UpstreamNeeds, type UpstreamOptions } from '#src/upstream/clients.ts';
import type { BootstrapInput } from './bootstrap.ts';
import type { Callers } from './list-existing.ts';

/** The URL that deliveries are sent to, without `?s=`. */
export function callbackOf({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  if (publicUrl === undefined)
    throw new SlotstreamError('config', 'PUBLIC_URL is not set, so the service does not know where to deliver.', {
      hint: 'Set it to the address at which the service reaches this receiver, without /webhooks: PUBLIC_URL=https://hooks.example.com',
    });
  const url = new URL(`${publicUrl}/webhooks`);
  if (url.search !== '' || url.hash !== '' || url.username !== '')
    throw new SlotstreamError(
      'config',
      'PUBLIC_URL contains a query, a fragment or a password; a callback URL cannot.',
      {
        hint: 'Give the bare address: PUBLIC_URL=https://hooks.example.com',
      },
    );
  // In the normalized form in which the service returns it.
  return url.href;
}

export interface CallerOptions extends UpstreamOptions {
  /** Aborts every call and every delay. */
  readonly signal?: AbortSignal | undefined;
}

export function callersOf(
  config: Config,
  needs: UpstreamNeeds = {},
  { signal, ...options }: CallerOptions = {},
): Callers {
  const { organizationUri } = config.api;
  const isOtherOrganization = (organization: string | null): boolean =>
    organization !== null && organizationUri !== undefined && organization !== organizationUri;
  const logins = openUserUpstreams(config, needs, options)
    .filter(({ organization }) => !isOtherOrganization(organization))
    .map(({ user, client }) => [user, withSignal(client, signal)] as const);
  return { main: withSignal(openUpstream(config, needs, options), signal), logins: new Map(logins) };
}

function withSignal(client: Client, signal: AbortSignal | undefined): Client {
  return {
    origin: client.origin,
    call: (call, options = {}) => client.call(call, { ...options, signal: options.signal ?? signal }),
  };
}

export interface KeyChoice {
  readonly callers: Callers;
  readonly rotates: boolean;
  /** Nothing may be stored: a missing key is replaced by a temporary one. */
  readonly isDry: boolean;
}

export interface ChosenKeys {
  /** The first is used for new subscriptions. */
  readonly keys: readonly [string, ...string[]];
  readonly source: string;
  /** Created just now: running receivers need a moment to read it. */
  readonly isNew: boolean;
}

/** Chooses the keys to register and verify with; a new key is on disk before this returns. */
export function chooseKeys(config: Pick<Config, 'api' | 'dataDir' | 'signing'>, choice: KeyChoice): ChosenKeys {
  const { signing, dataDir, api } = config;
  const usesOAuth = api.token === undefined || choice.callers.logins.size > 0;
  if (signing.keys === undefined && usesOAuth) throw applicationKeyMissing();
  if (signing.keys !== undefined) {
    if (choice.rotates) throw cannotStore();
    // Validates the keys: the key ring rejects an empty list.
    const ring = openKeyRing({ keys: signing.keys, dataDir, generate: false, allowUnsigned: false });
    const [first = '', ...others] = ring.keysAt(0);
    return { keys: [first, ...others], source: 'SIGNING_KEYS', isNew: false };
  }
  const source = join(dataDir, 'signing-keys');
  const ringOf = (generate: boolean) => openKeyRing({ keys: undefined, dataDir, generate, allowUnsigned: !generate });
  const [first, ...others] = ringOf(false).keysAt(0);
  if (first !== undefined && !choice.rotates) return { keys: [first, ...others], source, isNew: false };
  const old = first === undefined ? [] : [first, ...others];
  if (choice.isDry) return { keys: [newKey(), ...old], source, isNew: true };
  if (first !== undefined) return { keys: addKey(dataDir, newKey()), source, isNew: true };
  // When `start` creates the key at the same moment, both end with the same key.
  const [made = newKey()] = ringOf(true).keysAt(0);
  return { keys: [made], source, isNew: true };
}

function applicationKeyMissing(): SlotstreamError {
  return new SlotstreamError(
    'config',
    'SIGNING_KEYS is not set. With OAuth the service signs every delivery with the one key of the application.',
    {
      hint: 'Set SIGNING_KEYS to the webhook signing key that the service showed when the OAuth application was created.',
    },
  );
}

function cannotStore(): SlotstreamError {
  return new SlotstreamError(
    'usage',
    'The signing keys come from SIGNING_KEYS, where a new one cannot be stored, so nothing was rotated.',
    {
      hint: `Create a key (openssl rand -base64 32), set SIGNING_KEYS=<new>,<old> for every receiver and restart them, then run: ${slotstream} bootstrap. It registers with the new one and reports when the old one can be removed.`,
    },
  );
}

export function inputOf(
  config: Config,
  { keys }: ChosenKeys,
  { prune, events }: Pick<BootstrapInput, 'prune' | 'events'>,
): BootstrapInput {
  const { organizationUri, userUri, groupUri } = config.api;
  const [first, ...others] = keys;
  return {
    settings: { organizationUri, userUri, groupUri },
    events,
    callback: callbackOf(config),
    keyIds: [keyMarkOf(first), ...others.map(keyMarkOf)],
    prune,
    countsMembers: true,
  };
}
