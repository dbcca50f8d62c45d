// Declares a page: an address, the operations of the API it asks, and the view of their answers. A page has no data of its own, so
// whatever a page shows, a program can read at the same filters under /api.
import type { z } from 'zod';
import type { Ask } from '#src/api/ask.ts';
import { listDeliveries } from '#src/api/deliveries/deliveries.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { Markup } from './components/markup.ts';

/** The entries of the navigation, in order. */
export const sections = {
  '/': 'Now',
  '/deliveries': 'Deliveries',
  '/bookings': 'Bookings',
  '/no-shows': 'No-shows',
  '/contacts': 'Contacts',
  '/routing': 'Routing',
  '/recaps': 'Recaps',
  '/numbers': 'Numbers',
  '/mirror': 'Mirror',
} as const;

export type Section = keyof typeof sections;

/** One record of an operation. */
export type RecordOf<Asked extends { readonly schema?: z.ZodType | undefined }> = z.output<
  NonNullable<Asked['schema']>
>;

export interface PageCall {
  /** The address as it was requested. */
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  /** One value per name; fields of a form that were left empty are absent. */
  readonly query: RawQuery;
  /** The fields of the form, for `submit`. */
  readonly form: RawQuery;
  /** Whether this caller may change nothing: show no buttons. */
  readonly isReadOnly: boolean;
  readonly ask: Ask;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** The time zone of reports. */
  readonly timezone: string;
}

export interface View {
  /** Of the browser's tab and of the page; the heading is part of `content`. */
  readonly title: string;
  readonly content: Markup;
  /**
   * The last entry of the log that the page shows (`newestEntry`): the script asks for the page again when there is a newer
   * one. `assets/script.js` lists the attributes by which it knows rows, buttons and times.
   */
  readonly liveAfter?: number | undefined;
  readonly status?: 400 | 404 | 409 | 503;
}

/** Where the browser goes after a form was processed. */
export interface Redirect {
  readonly to: string;
}

export interface Page {
  /** `/deliveries/:id` */
  readonly path: string;
  /** Its entry of the navigation. */
  readonly section?: Section;
  show(call: PageCall): View | Promise<View>;
  /** Processes the form that this page, or another one, sends to this address. */
  submit?(call: PageCall): View | Redirect | Promise<View | Redirect>;
}

export const definePage = (page: Page): Page => page;

/**
 * The newest entry of the log, for `liveAfter` of a page whose operation does not answer it: ask for it before anything else, so that nothing which is written meanwhile is missed. None
 * for a later page of a list, which does not change.
 */
export async function newestEntry({ ask, query }: Pick<PageCall, 'ask' | 'query'>): Promise<number | undefined> {
  if (query['page_token'] !== undefined) return undefined;
  return (await ask(listDeliveries, { query: { count: '1' } })).last_seq;
}
