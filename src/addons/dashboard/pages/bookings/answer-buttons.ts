// The buttons with which people answer whether an invitee came.
import { html } from 'hono/html';
import { answerTexts, isAnswer, type AnswerName } from '#src/api/bookings/answer-texts.ts';
import { address, nothing, notice, type Markup } from '#src/addons/dashboard/components/markup.ts';
import type { Row, RowColumn } from '#src/addons/dashboard/components/rows.ts';
import type { PageCall } from '#src/addons/dashboard/page.ts';

interface Answerable {
  /** The URI of the last invitee. */
  readonly invitee: string;
  /** What stands. */
  readonly answer: AnswerName;
}

/** Of a booking. */
export interface AttendanceState {
  readonly attendance: string | null;
  readonly attendance_basis: string | null;
}

/** An answer is a log entry; a mark and a recap are URIs. */
export const isAnswered = (basis: string | null): basis is string => basis?.startsWith('attendance.') === true;

/** What stands. */
export const currentAnswer = ({ attendance, attendance_basis: basis }: AttendanceState): AnswerName =>
  attendance === 'no_show' ? 'no_show' : isAnswered(basis) ? 'came' : 'none';

/** Whether this visitor may answer: ANSWERS is on, and the token may change something. */
export const canAnswer = async ({ read, isReadOnly }: Pick<PageCall, 'read' | 'isReadOnly'>): Promise<boolean> =>
  !isReadOnly && (await read(({ answers }) => answers !== undefined));

/** What can be answered instead of what stands. `back`: where the browser goes on. */
export const answerButtons = ({ invitee, answer: current }: Answerable, back: string): Markup =>
  html`<div class="answers">${Object.entries(answerTexts).map(([answer, text]) =>
    answer === current
      ? ''
      : html`<form class="action" method="post" action="/answers">
          <input type="hidden" name="invitee" value="${invitee}" /><input type="hidden" name="back" value="${back}" />
          <button name="answer" value="${answer}" data-answer="${answer}">${text}</button>
        </form>`,
  )}</div>`;

/** Without parameters about an earlier answer. */
export function withoutAnswer(url: URL): URL {
  const list = new URL(url);
  list.searchParams.delete('answered');
  list.searchParams.delete('of');
  return list;
}

/** Without parameters about an earlier answer, and from the first page: the list has become shorter. */
export function backTo(url: URL): string {
  const { pathname, searchParams } = withoutAnswer(url);
  const { page_token: _token, ...query } = Object.fromEntries(searchParams);
  return address(pathname, query);
}

export const answerColumn = <ShownRow extends Row>(
  url: URL,
  answerableOf: (row: ShownRow) => Answerable | undefined,
): RowColumn<ShownRow> => ({
  name: 'answer',
  label: 'Did they come?',
  kind: 'text',
  isUnsorted: true,
  cell(row) {
    const answerable = answerableOf(row);
    return answerable ? answerButtons(answerable, backTo(url)) : '';
  },
});

/** What was answered last, with a button that takes it back. */
export function answeredNotice({ answered = '', of: invitee }: PageCall['query'], url: URL): Markup {
  if (!isAnswer(answered) || invitee === undefined) return nothing;
  if (answered === 'none') return notice('The answer was taken back.');
  const text = answered === 'came' ? 'Recorded: they came.' : 'Recorded: a no-show, marked at the service.';
  return html`<div class="notice row" role="status">${text}
    <form class="action" method="post" action="/answers">
      <input type="hidden" name="invitee" value="${invitee}" /><input type="hidden" name="back" value="${backTo(url)}" />
      <button class="plain" name="answer" value="none">Undo</button>
    </form>
  </div>`;
}
