// The Calendly trigger of n8n: it finds, registers and deletes its webhook. Its host is played by the few functions that the node uses.
import { callbackEvents, callbackUrl, type Client, knownCallbackUrl, type Named } from '../client.ts';

interface Node {
  readonly webhookMethods: {
    readonly default: {
      readonly [method in 'checkExists' | 'create' | 'delete']: (this: object) => Promise<boolean>;
    };
  };
}

interface Asked {
  readonly method: string;
  readonly uri: string;
  readonly headers: { readonly [name: string]: string };
  readonly body?: object;
  readonly qs?: { readonly [name: string]: string };
}

const name = 'n8n-nodes-base';

export const client: Client = {
  packages: [`${name}@2.41.2`, 'n8n-workflow@2.41.0'],
  unpacked: name,
  async open({ token, load }) {
    const { CalendlyTrigger } = await load<{
      CalendlyTrigger: new () => { getNodeType(version: number): Node };
    }>(`${name}/dist/nodes/Calendly/CalendlyTrigger.node.js`);
    const { CalendlyApi } = await load<{
      CalendlyApi: new () => { authenticate(credentials: object, asked: Asked): Promise<Asked> };
    }>(`${name}/dist/credentials/CalendlyApi.credentials.js`);
    const { calendlyApiRequest } = await load<{
      calendlyApiRequest(this: object, method: string, path: string): Promise<{ resource: Named }>;
    }>(`${name}/dist/nodes/Calendly/GenericFunctions.js`);

    const { default: methods } = new CalendlyTrigger().getNodeType(2).webhookMethods;
    const parameters: { readonly [parameter: string]: unknown } = {
      authentication: 'apiKey',
      scope: 'organization',
      events: callbackEvents,
    };
    const kept: { webhookURI?: string } = {};
    let address = callbackUrl;
    const host = {
      getNodeParameter: (parameter: string) => parameters[parameter],
      getNodeWebhookUrl: () => address,
      getWorkflowStaticData: () => kept,
      getNode: () => ({ name: 'Calendly Trigger' }),
      helpers: {
        async requestWithAuthentication(_type: string, asked: Asked) {
          const { uri, qs, method, headers, body } = await new CalendlyApi().authenticate({ apiKey: token }, asked);
          const query = qs === undefined ? '' : `?${new URLSearchParams(qs)}`;
          const sent = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
          const answer = await fetch(`${uri}${query}`, sent);
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${answer.status} ${text}`);
          return text === '' ? undefined : JSON.parse(text);
        },
      },
    };
    /** Answers the URI of its webhook. */
    const run = async (method: 'checkExists' | 'create' | 'delete', of = callbackUrl) => {
      address = of;
      const uri = kept.webhookURI;
      if (!(await methods[method].call(host))) throw new Error(`${method} answered false.`);
      return [kept.webhookURI ?? uri ?? ''];
    };
    return {
      me: async () => [(await calendlyApiRequest.call(host, 'GET', '/users/me')).resource.uri],
      'list webhooks': () => run('checkExists', knownCallbackUrl),
      register: () => run('create'),
      delete: () => run('delete'),
    };
  },
};
