// PagerDuty's Events API v2: an alert triggers an incident, its retraction resolves the incident. All fields are plain text.
import { linkText, type Message } from '#workers/out/alerts/message/message.ts';
import { truncate } from '#workers/out/alerts/message/sanitize-text.ts';
import type { Channel } from './channel.ts';
import { openHttpChannel, type HttpChannelNeeds } from './http-channel.ts';

const limits = { summary: 1_024, key: 255 } as const;

export const openPagerDuty = (
  needs: HttpChannelNeeds,
  { url, ...sender }: { readonly url: string; readonly key: string; readonly source: string },
): Channel =>
  openHttpChannel(needs, {
    name: 'pagerduty',
    url,
    bodyOf: (message) => JSON.stringify(pagerDutyBody(message, sender)),
  });

function pagerDutyBody(
  message: Message,
  { key: routing_key, source }: { readonly key: string; readonly source: string },
): object {
  const { id, kind, follows, rule, title, text, facts, link, occurredAt } = message;
  // The same key at every attempt, so a repetition does not open a second incident.
  const dedup_key = (follows ?? id).slice(0, limits.key);
  if (kind === 'retraction') return { routing_key, event_action: 'resolve', dedup_key };
  const links = facts.filter(({ isLink }) => isLink).map(({ label, value }) => ({ href: value, text: label }));
  if (link !== undefined) links.push({ href: link, text: linkText(link) });
  return {
    routing_key,
    event_action: 'trigger',
    dedup_key,
    client: 'Slotstream',
    ...(link !== undefined && { client_url: link }),
    links,
    payload: {
      summary: truncate(title, limits.summary),
      source,
      severity: kind === 'test' ? 'info' : 'warning',
      timestamp: occurredAt,
      class: rule,
      custom_details: { text, ...Object.fromEntries(facts.map(({ label, value }) => [label, value])) },
    },
  };
}
