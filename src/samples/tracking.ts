// Where somebody came from: a campaign with its tags, or nowhere in particular.
import type { Random } from './random.ts';

export function trackingOf(random: Random) {
  const campaign = random.pick([null, 'spring-launch', 'newsletter', 'partners']);
  return {
    utm_campaign: campaign,
    utm_source: campaign === null ? null : random.pick(['newsletter', 'search', 'social']),
    utm_medium: campaign === null ? null : 'email',
    utm_content: null,
    utm_term: null,
    salesforce_uuid: null,
  };
}
