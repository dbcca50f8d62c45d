// The content security policy of a page: allows its own style and script, by their hash, and what else it declares to need.
import { createHash } from 'node:crypto';

export interface PageNeeds {
  readonly style: string;
  readonly script?: string;
  /** Images in the page itself (`data:`). */
  readonly images?: true;
  /** Requests of the script, and forms, to the listener that sent the page. */
  readonly requests?: true;
  readonly forms?: true;
}

export function contentPolicy({ style, script, images, requests, forms }: PageNeeds): string {
  return [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    ...(script === undefined ? [] : [`script-src ${hashOf(script)}`]),
    ...(requests ? ["connect-src 'self'"] : []),
    ...(images ? ['img-src data:'] : []),
    `form-action ${forms ? "'self'" : "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
