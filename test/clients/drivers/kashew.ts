// @kashew/calendly-v2-sdk, an SDK on axios: a class for each resource.
import { callbackEvents, callbackUrl, type Client, firstOf, idOf, type Named, urisOf } from '../client.ts';

type Resource = new (
  token: object,
  of?: string,
) => {
  me(): Promise<Named>;
  get(uuid: string): Promise<Named>;
  list(asked?: object): Promise<{ readonly collection: readonly Named[] }>;
  create(asked: object): Promise<Named>;
  delete(uuid: string): Promise<void>;
};

const name = '@kashew/calendly-v2-sdk';

export const client: Client = {
  packages: [`${name}@1.0.1`],
  async open({ token: accessToken, organization, load }) {
    const { default: sdk } = await load<{ default: Readonly<{ [resource: string]: Resource }> }>(name);
    const resource = (of: string, parent?: string) => {
      const Resource = sdk[of];
      if (Resource === undefined) throw new Error(`The package has no ${of}.`);
      return new Resource({ accessToken, tokenType: 'Bearer' }, parent);
    };
    const user = async () => (await resource('UsersClient').me()).uri;
    const webhooks = () => resource('WebhookSubscriptionsClient');
    let meetings: readonly string[] = [];
    let invitees: readonly string[] = [];
    const guests = () => resource('ScheduledEventInviteesClient', idOf(firstOf(meetings)));
    let registered = '';
    return {
      me: async () => [await user()],
      members: async () => urisOf((await resource('OrganizationMembershipsClient').list({ organization })).collection),
      'event types': async () => urisOf((await resource('EventTypesClient').list({ user: await user() })).collection),
      async meetings() {
        const { collection } = await resource('ScheduledEventsClient').list({ user: await user(), status: 'active' });
        meetings = urisOf(collection);
        return meetings;
      },
      'one meeting': async () => [(await resource('ScheduledEventsClient').get(idOf(firstOf(meetings)))).uri],
      async invitees() {
        invitees = urisOf((await guests().list()).collection);
        return invitees;
      },
      'one invitee': async () => [(await guests().get(idOf(firstOf(invitees)))).uri],
      async register() {
        const asked = { url: callbackUrl, events: callbackEvents, organization, scope: 'organization' };
        registered = (await webhooks().create(asked)).uri;
        return [registered];
      },
      'list webhooks': async () => urisOf((await webhooks().list({ organization, scope: 'organization' })).collection),
      async delete() {
        await webhooks().delete(idOf(registered));
        return [registered];
      },
    };
  },
};
