// Rows as a file: CSV of all pages of a question, read from the door one after the other while the browser writes them.
import { queryTable } from '#src/api/tables/tables.ts';
import { csvOf } from '#src/api/tables/answer.ts';
import { explainQuestion } from '#src/api/tables/explain.ts';
import { mostRows } from '#src/api/tables/grammar.ts';
import { ApiError } from '#src/api/ask.ts';
import { addressOf, pairsOf, searchOf, type AskedQuestion } from '#src/addons/dashboard/components/question.ts';
import type { Described } from '#src/addons/dashboard/components/rows.ts';
import type { PageCall, Redirect } from '#src/addons/dashboard/page.ts';
import { groupsIn, shownColumns } from './form.ts';

/** An export has more: `slotstream export`. */
export const mostDownloaded = 50_000;

/** A question that is refused is shown on its page. */
export async function csvFile(call: PageCall, table: Described, question: AskedQuestion): Promise<Response | Redirect> {
  try {
    return await answered(call, table, question);
  } catch (error) {
    if (error instanceof ApiError) return { to: addressOf(`/tables/${table.name}`, question) };
    throw error;
  }
}

async function answered(
  { ask, read, isReadOnly }: PageCall,
  table: Described,
  question: AskedQuestion,
): Promise<Response> {
  const { name } = table;
  const isGrouped = groupsIn(question.select).computed.length > 0;
  const asked: AskedQuestion = {
    ...question,
    select: question.select ?? shownColumns(table, question).join(','),
    limit: isGrouped ? question.limit : String(mostRows),
  };
  const explained = await read((mirror) =>
    explainQuestion(mirror, { name, isAdmin: !isReadOnly, parameters: pairsOf(asked) }),
  );
  const csv = csvOf(explained?.kinds ?? {}, false);
  const pageAfter = async (token: string | null) => {
    const search = searchOf(asked);
    if (token !== null) search.set('page_token', token);
    return ask(queryTable, { params: { name }, search });
  };
  const first = await pageAfter(null);
  const isLong = first.pagination.next_page_token !== null;
  const file = isLong ? await fileName({ ask }, name, question) : `${name}.csv`;

  async function* parts(): AsyncGenerator<string> {
    yield csv.header();
    let page = first;
    for (let count = 0; ;) {
      yield csv.lines(page.collection);
      count += page.collection.length;
      const { next_page_token: next } = page.pagination;
      if (next === null || count >= mostDownloaded) return;
      page = await pageAfter(next);
    }
  }
  // A page that fails breaks the file off, which the browser shows as a download that failed.
  return new Response(ReadableStream.from(parts()).pipeThrough(new TextEncoderStream()), {
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="${file}"`,
    },
  });
}

/** Says that there are more rows than the file has. */
async function fileName({ ask }: Pick<PageCall, 'ask'>, name: string, question: AskedQuestion): Promise<string> {
  const search = searchOf({ ...question, select: 'count()', order: undefined, limit: undefined });
  try {
    const { collection } = await ask(queryTable, { params: { name }, search });
    if (Number(collection[0]?.['count']) <= mostDownloaded) return `${name}.csv`;
  } catch (error) {
    // So many that they are not counted in time.
    if (!(error instanceof ApiError)) throw error;
  }
  return `${name}-first-${mostDownloaded}.csv`;
}
