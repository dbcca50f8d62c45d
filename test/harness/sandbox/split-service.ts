// A service whose authorization server has its endpoints at another origin than its metadata, as the public service does.
import { metadataPath } from '#schemas/oauth.ts';
import { answer, openFakeServer } from './api-clients.ts';

export interface SplitAnswers {
  /** Besides the required metadata. */
  readonly metadata?: object;
  /** What the token endpoint says was granted. */
  readonly scope?: string;
}

export async function openSplitService({ metadata = {}, scope }: SplitAnswers) {
  const user = {
    uri: 'https://api.example.test/users/1',
    name: 'Ada',
    current_organization: 'https://api.example.test/organizations/1',
  };
  const endpoints = await openFakeServer(({ url }, response) => {
    const tokens = { access_token: 'oat_split', token_type: 'bearer', refresh_token: 'ort_split', scope };
    answer(response, 200, url === '/token' ? tokens : { resource: user });
  });
  const published = await openFakeServer(({ url, headers }, response) => {
    const required = {
      issuer: `http://${headers.host}`,
      authorization_endpoint: `${endpoints.url}/authorize`,
      token_endpoint: `${endpoints.url}/token`,
    };
    answer(response, url === metadataPath ? 200 : 404, { ...required, ...metadata });
  });
  return {
    settings: {
      API_BASE_URL: endpoints.url,
      AUTH_URL: published.url,
      OAUTH_CLIENT_ID: 'split-client',
      OAUTH_CLIENT_SECRET: 'split-secret',
    },
    async [Symbol.asyncDispose]() {
      await published[Symbol.asyncDispose]();
      await endpoints[Symbol.asyncDispose]();
    },
  };
}
