// Declares a page: an address, what it asks of the API or reads of the mirror, and the view of the answers. A page has no data of its own.
import type { z } from 'zod';
import type { Ask } from '#src/api/ask.ts';
import type { ApiContext } from '#src/api/api-operation.ts';
import type { RawQuery } from '#src/http/request.ts';
import { endOfLog } from '#src/read/deliveries/delivery-tail.ts';
import type { Markup } from './components/markup.ts';

export const sections = {
  '/': 'Now',
  '/deliveries': 'Deliveries',
  '/bookings': 'Bookings',
  '/no-shows': 'No-shows',
  '/contacts': 'Contacts',
  '/routing': 'Routing',
  '/recaps': 'Recaps',
  '/numbers': 'Numbers',
  '/tables': 'Tables',
  '/mirror': 'Mirror',
} as const;

export type Section = keyof typeof sections;

export type RecordOf<Op extends { readonly schema?: z.ZodType | undefined }> = z.output<NonNullable<Op['schema']>>;

export interface PageCall {
  readonly url: URL;
  readonly params: Readonly<Record<string, string>>;
  /** One value per name; fields of a form that were left empty are absent. */
  readonly query: RawQuery;
  readonly form: RawQuery;
  /** Whether this caller may change nothing: show no buttons. */
  readonly isReadOnly: boolean;
  readonly ask: Ask;
  status(): Promise<object>;
  /** Runs a function that reads the mirror and is no operation. Its errors become `ApiError`s, too. */
  read<Result>(view: (mirror: ApiContext) => Result | Promise<Result>): Promise<Result>;
  readonly nowMs: number;
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

export interface Redirect {
  readonly to: string;
}

export type Shown = View | Redirect | Response;

export interface Page {
  /** `/deliveries/:id` */
  readonly path: string;
  readonly section?: Section;
  /** A `Response` is a file. */
  show(call: PageCall): Shown | Promise<Shown>;
  /** Processes the form that this page, or another one, sends to this address. */
  submit?(call: PageCall): View | Redirect | Promise<View | Redirect>;
}

export const definePage = (page: Page): Page => page;

/**
 * The newest entry of the log, for `liveAfter` of a page whose data does not include it. Read it first: then the page shows this entry, and
 * no later one is missed. None for a later page of a list, which does not change.
 */
export async function newestEntry({ read, query }: Pick<PageCall, 'read' | 'query'>): Promise<number | undefined> {
  return query['page_token'] === undefined ? read(endOfLog) : undefined;
}
