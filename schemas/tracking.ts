// Where an invitee or a form submission came from: six campaign tags, each possibly null.
import { z } from 'zod';
import { text } from './wire.ts';

export const tracking = z.looseObject({
  utm_campaign: text,
  utm_source: text,
  utm_medium: text,
  utm_content: text,
  utm_term: text,
  salesforce_uuid: text,
});

const tag = z.optional(z.nullable(z.string()));

export const trackingRequest = z.strictObject({
  utm_campaign: tag,
  utm_source: tag,
  utm_medium: tag,
  utm_content: tag,
  utm_term: tag,
  salesforce_uuid: tag,
});
