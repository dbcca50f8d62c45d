// Declares a page: an address, the operations of the API it asks, and the view of their answers. A page has no data of its own, so
// whatever a page shows, a program can read at the same filters under /api.
import type { z } from 'zod';
import type { PaginationEnvelope } from '#schemas/resources/envelope.ts';
import type { RawQuery } from '#src/http/request.ts';
import type { Operation, TypedOperation } from '#src/http/operation.ts';
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

/** What an operation answers, as its schema says. */
export type AnswerOf<Answers, Record, Fields extends z.ZodRawShape> = Answers extends 'collection'
  ? { readonly collection: readonly Record[]; readonly pagination: PaginationEnvelope } & FieldsOf<Fields>
  : Answers extends 'resource'
    ? { readonly resource: Record }
    : Answers extends 'object'
      ? Record
      : undefined;

/** One record of an operation. */
export type RecordOf<Asked extends { readonly schema?: z.ZodType | undefined }> = z.output<
  NonNullable<Asked['schema']>
>;

/** The fields besides the records; most operations have none. */
type FieldsOf<Fields extends z.ZodRawShape> = [Fields] extends [never] ? unknown : z.output<z.ZodObject<Fields>>;

export interface Asked {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: RawQuery;
  readonly body?: unknown;
}

/** Runs an operation in this process as the caller of the page. An error of the API becomes an `ApiError`. */
export type Ask = <Answers extends Operation['answers'], Schema extends z.ZodType, Fields extends z.ZodRawShape>(
  operation: TypedOperation<never, unknown, Answers, Schema, Fields>,
  asked?: Asked,
) => Promise<AnswerOf<Answers, z.output<Schema>, Fields>>;

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
}

export interface View {
  /** Of the browser's tab and of the page; the heading is part of `content`. */
  readonly title: string;
  readonly content: Markup;
  /**
   * The last entry of the log that the page shows (`newestEntry` in `ask.ts`): the script asks for the page again when there is a newer
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
  readonly section: Section;
  show(call: PageCall): View | Promise<View>;
  /** Processes the form that this page, or another one, sends to this address. */
  submit?(call: PageCall): View | Redirect | Promise<View | Redirect>;
}

export const definePage = (page: Page): Page => page;

/** The API refused what a page asked. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly title: string;
  /** Each wrong parameter with what is wrong about it. */
  readonly details: readonly string[];

  constructor(
    status: number,
    { title, message, details }: { title: string; message: string; details: readonly string[] },
  ) {
    super(message);
    this.status = status;
    this.title = title;
    this.details = details;
  }
}
