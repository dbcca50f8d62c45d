// The Calendly integration of Pipedream. Its actions and sources are objects that a host binds: this is the part of the host that they use.
import { callbackUrl, type Client, firstOf, idOf, type Named, urisOf } from '../client.ts';

type Methods = Readonly<{ [name: string]: (...given: never[]) => unknown }>;

interface Component {
  readonly props: Readonly<{ [name: string]: unknown }>;
  readonly methods?: Methods;
  readonly hooks?: Methods;
  run(this: object, given: object): Promise<{ readonly collection?: readonly Named[]; readonly resource?: Named }>;
}

const name = '@pipedream/calendly_v2';

export const client: Client = {
  packages: [`${name}@1.4.1`],
  async open({ token, load }) {
    const { default: app } = await load<{ default: { methods: Methods } }>(`${name}/calendly_v2.app.mjs`);
    const boundApp = { ...app.methods, $auth: { oauth_access_token: token } };
    const component = async (path: string, given: object) => {
      const { default: made } = await load<{ default: Component }>(`${name}/${path}.mjs`);
      const apps = Object.entries(made.props).filter(([, prop]) => prop === app);
      const bound = { ...Object.fromEntries(apps.map(([prop]) => [prop, boundApp])), ...made.methods, ...given };
      return { made, bound };
    };
    const act = async (action: string, given: object) => {
      const { made, bound } = await component(`actions/${action}/${action}`, given);
      const { collection = [], resource } = await made.run.call(bound, { $: { export() {} } });
      return urisOf(resource === undefined ? collection : [resource]);
    };
    const me = () =>
      (boundApp as unknown as { getUserInfo(): Promise<{ resource: Named & { current_organization: string } }> })
        .getUserInfo()
        .then(({ resource }) => resource);
    let meetings: readonly string[] = [];
    let invitees: readonly string[] = [];
    const kept = new Map<string, unknown>();
    const source = () =>
      component('sources/invitee-created/invitee-created', {
        scope: 'organization',
        http: { endpoint: callbackUrl },
        db: { get: (key: string) => kept.get(key), set: (key: string, value: unknown) => kept.set(key, value) },
      });
    return {
      me: async () => [(await me()).uri],
      members: async () =>
        act('list-organization-members', { organization: (await me()).current_organization, paginate: true }),
      'event types': () => act('list-event-types', { paginate: true }),
      async meetings() {
        const { current_organization: organization } = await me();
        meetings = await act('list-events', { organization, status: 'active', paginate: true, maxResults: 100 });
        return meetings;
      },
      'one meeting': () => act('get-event', { eventId: idOf(firstOf(meetings)) }),
      async invitees() {
        invitees = await act('list-event-invitees', { eventId: idOf(firstOf(meetings)), paginate: true });
        return invitees;
      },
      'one invitee': () =>
        act('get-invitee', { eventUuid: idOf(firstOf(meetings)), inviteeUuid: idOf(firstOf(invitees)) }),
      async register() {
        const { made, bound } = await source();
        await made.hooks?.['activate']?.call(bound);
        return [(kept.get('webhook') as Named).uri];
      },
      'list webhooks': async () =>
        act('list-webhook-subscriptions', {
          scope: 'organization',
          organizationUri: (await me()).current_organization,
        }),
      async delete() {
        const { uri } = kept.get('webhook') as Named;
        const { made, bound } = await source();
        await made.hooks?.['deactivate']?.call(bound);
        return [uri];
      },
    };
  },
};
