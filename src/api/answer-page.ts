// The page of a signed link on the public listener: it shows one meeting and asks whether the invitee came. Reading it changes nothing,
// because mail scanners and previews open every link; only its forms do. They have no content: the address says what was answered.
// Every link that is not valid any more gets the same answer, so that nothing about other bookings can be learned.
import { html, raw } from 'hono/html';
import { idOf } from '#schemas/wire.ts';
import { zonedSpan } from '#src/base/zoned-time.ts';
import { HttpError } from '#src/http/http-error.ts';
import { contentPolicy } from '#src/http/content-policy.ts';
import { readAnswerToken, tokenIn, type AnswerClaim } from '#src/read/bookings/answer-link.ts';
import { loadBookingContexts } from '#src/read/bookings/booking-context.ts';
import { hostsOf } from '#src/read/bookings/hosts.ts';
import { erasedAmong } from '#src/read/deliveries/log-changes.ts';
import { rowNamed } from './row-record.ts';
import type { ApiContext } from './api-operation.ts';
import { createAudit, type Audit } from './audit.ts';
import { answerTexts, isAnswer, type AnswerName } from './bookings/answer-texts.ts';
import { currentAnswer, giveHostAnswer } from './bookings/answers.ts';
import { style } from './auth/login-page.ts';
import { answersInMinute, createRequestLimit } from './request-limit.ts';

export interface AnswerPageNeeds extends Pick<ApiContext, 'store' | 'tail' | 'clock' | 'answers'> {
  readonly key: string;
  /** Receives errors that are not the visitor's. */
  report(error: unknown): void;
}

/** Answers a request for `/answers/TOKEN`. `address` is that of its socket. */
export type AnswerPage = (request: Request, address: string) => Promise<Response>;

const requestsInMinute = 60;

export function createAnswerPage(needs: AnswerPageNeeds): AnswerPage {
  const limit = createRequestLimit(needs.clock, requestsInMinute);
  const answerLimit = createRequestLimit(needs.clock, answersInMinute);
  const audit = createAudit(needs, []);
  return async (request, address) => {
    if (!['GET', 'HEAD', 'POST'].includes(request.method)) return page(405, html`<h1>Not allowed</h1>`);
    const token = tokenIn(request.url);
    const claim = readAnswerToken(needs.key, token, needs.clock());
    if (claim === undefined) return notValid();
    const isAdmitted = limit.admits(token) && (request.method !== 'POST' || answerLimit.admits(token));
    if (!isAdmitted) return page(429, html`<h1>Too many requests</h1><p>Try again in a minute.</p>`);
    try {
      return await answerRequest({ ...needs, audit, address }, claim, request);
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return notValid();
      needs.report(error);
      return page(503, html`<h1>Not recorded</h1><p>The answer could not be recorded. Try again later.</p>`);
    }
  };
}

async function answerRequest(
  needs: AnswerPageNeeds & { readonly audit: Audit; readonly address: string },
  claim: AnswerClaim,
  { method, url }: Request,
): Promise<Response> {
  const { pathname, searchParams } = new URL(url);
  const meeting = await meetingOf(needs, claim);
  if (meeting === undefined) return notValid();
  const chosen = searchParams.get('answer') ?? '';
  if (method !== 'POST') return showMeeting(meeting, { pathname, chosen });
  if (!isAnswer(chosen)) return page(400, html`<h1>Not understood</h1>`);
  const { invitee, answer: current } = meeting;
  const caller = { who: 'answer link', address: needs.address } as const;
  await giveHostAnswer(needs, caller, { invitee, answer: chosen, current });
  return new Response(null, { status: 303, headers: { ...headers, location: pathname } });
}

interface Meeting {
  readonly invitee: string;
  readonly firstName: string;
  readonly event: string;
  readonly when: string;
  readonly answer: AnswerName;
}

/** Undefined where the link has ended: the person, the booking or the host is not there any more. */
export async function meetingOf(
  needs: Pick<AnswerPageNeeds, 'store' | 'clock'>,
  claim: AnswerClaim,
): Promise<Meeting | undefined> {
  const { store } = needs;
  const { uri: invitee } = await rowNamed(store, 'invitees', claim.invitee, 'booking');
  if ((await erasedAmong(store, [invitee])).size > 0) return undefined;
  const context = (await loadBookingContexts(store, [invitee])).get(invitee);
  const host = hostsOf({ event: context?.event }).find(({ uri = '' }) => idOf(uri) === claim.host)?.uri;
  const answer = await currentAnswer(needs, invitee);
  if (context === undefined || host === undefined || answer === undefined) return undefined;
  const { first_name, name } = context.invitee;
  const { event } = context;
  return {
    invitee,
    firstName: first_name || name?.trim().split(/\s+/)[0] || 'the invitee',
    event: event?.name ?? 'A meeting',
    when: event?.start_time ? zonedSpan(event.start_time, null, context.zoneOf?.(host) ?? null) : '',
    answer,
  };
}

function showMeeting(meeting: Meeting, { pathname, chosen }: { readonly pathname: string; readonly chosen: string }) {
  const { firstName, event, when, answer: current } = meeting;
  const order = Object.keys(answerTexts)
    .filter(isAnswer)
    .filter((answer) => answer !== current)
    .toSorted((a, b) => Number(b === chosen) - Number(a === chosen));
  const given = { came: 'Answered: they came.', no_show: 'Answered: a no-show.', none: '' }[current];
  return page(
    200,
    html`<h1>Did <bdi>${firstName}</bdi> come?</h1>
      <p><bdi>${event}</bdi><br />${when}</p>
      ${given === '' ? '' : html`<p role="status"><strong>${given}</strong></p>`}
      <div>${order.map((answer) => html`<form method="post" action="${pathname}?answer=${answer}"><button>${answerTexts[answer]}</button></form>`)}</div>`,
  );
}

export const notValid = (): Promise<Response> =>
  page(404, html`<h1>This link is not valid any more</h1><p>Links of messages are valid for seven days.</p>`);

/** For a process that cannot reach the database. */
export const notAvailable = (): Promise<Response> =>
  page(503, html`<h1>Not available</h1><p>The database does not answer. Try again in a minute.</p>`);

const headers = {
  'cache-control': 'no-store',
  // The address is the permission.
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'content-security-policy': contentPolicy({ style, forms: true }),
} as const;

async function page(status: number, content: ReturnType<typeof html>): Promise<Response> {
  const body = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Did they come? · Slotstream</title>
<style>${raw(style)}</style>
</head>
<body><main>${content}</main></body>
</html>`;
  return new Response(String(await body), {
    status,
    headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
  });
}
