// The client of the configured account: a personal access token.
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../config.ts';
import { SlotstreamError } from '../errors.ts';
import { createClient, type Client, type ClientNeeds, type ClientOptions, type TokenSource } from './client.ts';

export type UpstreamConfig = Pick<Config, 'api' | 'dataDir'>;

/** The world as clients see it; tests bend it. */
export type UpstreamNeeds = Partial<Omit<ClientNeeds, 'token'>>;
export type UpstreamOptions = Omit<ClientOptions, 'baseUrl'>;

export function openUpstream(config: UpstreamConfig, needs: UpstreamNeeds = {}, options: UpstreamOptions = {}): Client {
  const { baseUrl, token } = config.api;
  if (baseUrl === undefined) throw missing('API_BASE_URL is not set, so the service cannot be called.');
  if (token === undefined) throw missing('API_TOKEN is not set, so the service would refuse every call.');
  return createClient({ ...realWorld, ...needs, token: personalToken(token) }, { baseUrl, ...options });
}

const realWorld: Omit<ClientNeeds, 'token'> = {
  fetch,
  nowMs: Date.now,
  random: Math.random,
  sleep: async (ms, signal) => void (await wait(ms, undefined, { signal })),
};

function missing(message: string): SlotstreamError {
  return new SlotstreamError('config', message, {
    hint: 'Set API_BASE_URL and API_TOKEN (a personal access token), in the environment or in .env.',
  });
}

function personalToken(token: string): TokenSource {
  // Anything else cannot stand in a header, and the complaint of `fetch` would quote it.
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new SlotstreamError('config', 'API_TOKEN holds white space or characters that no token has.', {
      hint: 'Copy the token again.',
    });
  return { current: async () => token, renewed: async () => undefined };
}
