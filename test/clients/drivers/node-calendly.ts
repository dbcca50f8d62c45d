// node-calendly, an SDK: it uses `fetch` and knows no webhooks.
import { type Client, firstOf, idOf, type Named, urisOf } from '../client.ts';

interface List {
  readonly collection: readonly Named[];
}

interface Sdk {
  readonly users: { getCurrentUser(): Promise<{ readonly uri: string; readonly current_organization: string }> };
  readonly eventTypes: {
    listUsersEventTypes(asked: object): Promise<List>;
    getEventType(asked: { readonly uuid: string }): Promise<Named>;
  };
  readonly scheduledEvents: {
    listEvents(asked: object): Promise<List>;
    listEventInvitees(uuid: string, asked: object): Promise<List>;
  };
}

export const client: Client = {
  packages: ['node-calendly@1.0.5'],
  async open({ token, load }) {
    const module = await load<{ default: { default: new (token: string) => Sdk } }>('node-calendly');
    const sdk = new module.default.default(token);
    let meetings: readonly string[] = [];
    return {
      me: async () => [(await sdk.users.getCurrentUser()).uri],
      async 'event types'() {
        const uris = urisOf((await sdk.eventTypes.listUsersEventTypes({ count: 10 })).collection);
        const { uri } = await sdk.eventTypes.getEventType({ uuid: idOf(firstOf(uris)) });
        return [...uris, uri];
      },
      async meetings() {
        const { current_organization: organization } = await sdk.users.getCurrentUser();
        const { collection } = await sdk.scheduledEvents.listEvents({
          organization,
          status: 'active',
          sort: 'start_time:asc',
          count: 20,
        });
        meetings = urisOf(collection);
        return meetings;
      },
      invitees: async () =>
        urisOf((await sdk.scheduledEvents.listEventInvitees(idOf(firstOf(meetings)), { count: 10 })).collection),
    };
  },
};
