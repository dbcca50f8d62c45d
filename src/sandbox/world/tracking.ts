// Where somebody came from: six tags, null where nothing is known.
import type { TrackingResource } from '#schemas/resources/invitee.ts';

type Tags = { readonly [Tag in keyof TrackingResource]?: string | null | undefined };

export function trackingWith(tags: Tags = {}): TrackingResource {
  return {
    utm_campaign: tags.utm_campaign ?? null,
    utm_source: tags.utm_source ?? null,
    utm_medium: tags.utm_medium ?? null,
    utm_content: tags.utm_content ?? null,
    utm_term: tags.utm_term ?? null,
    salesforce_uuid: tags.salesforce_uuid ?? null,
  };
}
