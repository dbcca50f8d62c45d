// Lists page by page, and servers that would lead them astray.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pagesOf, type ListCall } from '#src/upstream/pages.ts';
import { allOf, answer, clientOf, failureOf, openFakeServer } from '../../harness/sandbox/api-clients.ts';

const list: ListCall<{ readonly id: number }> = {
  path: '/things',
  query: { count: 2 },
  reads: z.object({ id: z.number() }),
};

const page = (ids: readonly unknown[], pagination: object) => ({ collection: ids.map((id) => ({ id })), pagination });

/** A list of three pages whose links are made by `link`. */
const threePages = (link: (token: string, base: string) => object) =>
  openFakeServer((request, response) => {
    const base = `http://${request.headers.host}`;
    const token = new URL(request.url ?? '', base).searchParams.get('page_token') ?? 'a';
    const next = { a: 'b', b: 'c' }[token];
    const ids = { a: [1, 2], b: [3, 4], c: [5] }[token] ?? [];
    answer(
      response,
      200,
      page(ids, next === undefined ? { next_page: null, next_page_token: null } : link(next, base)),
    );
  });

const ids = async (pages: AsyncIterable<{ readonly items: readonly { readonly id: number }[] }>) => {
  const found: number[][] = [];
  for await (const { items } of pages) found.push(items.map(({ id }) => id));
  return found;
};

describe('pages', () => {
  const whole = (token: string, base: string) => ({
    next_page: `${base}/things?count=2&page_token=${token}`,
    next_page_token: token,
  });

  it.each([
    ['tokens and links', whole],
    ['tokens only', (token: string) => ({ next_page_token: token })],
    [
      'links only',
      (token: string, base: string) => ({ next_page: whole(token, base).next_page, next_page_token: null }),
    ],
    ['links without their origin', (token: string) => ({ next_page: `/things?page_token=${token}` })],
  ])('follow %s to the end', async (_, link) => {
    await using server = await threePages(link);
    expect(await ids(pagesOf(clientOf(server.url), list))).toEqual([[1, 2], [3, 4], [5]]);
    expect(server.asked).toHaveLength(3);
  });

  it.each([
    ['of our own', undefined],
    ['of another, at our own', 'https://api.example.test'],
  ])('follow links without a page token by their path, with the origin %s', async (_, other) => {
    await using server = await openFakeServer((request, response, turn) => {
      const base = other ?? `http://${request.headers.host}`;
      answer(response, 200, page([turn], { next_page: turn < 3 ? `${base}/things/after/${turn}` : null }));
    });
    expect(await ids(pagesOf(clientOf(server.url), list))).toEqual([[1], [2], [3]]);
    expect(server.asked).toEqual(['GET /things?count=2', 'GET /things/after/1', 'GET /things/after/2']);
  });

  it.each([
    ['a token', (token: string, base: string) => ({ next_page: `${base}/things`, next_page_token: token })],
    ['a link with a token', (token: string, base: string) => ({ next_page: `${base}/v2/x?page_token=${token}` })],
  ])('that name another host are followed by %s at our own, and the token is not sent there', async (_, link) => {
    await using elsewhere = await openFakeServer((_request, response) => answer(response, 200, page([], {})));
    await using server = await threePages((token) => link(token, elsewhere.url));
    expect(await ids(pagesOf(clientOf(server.url), list))).toEqual([[1, 2], [3, 4], [5]]);
    expect(elsewhere.asked).toEqual([]);
    expect(server.asked).toHaveLength(3);
  });

  it.each(['javascript:alert(1)', 'http://[', 'mailto:ada@example.test'])(
    'end with an error behind a link that leads nowhere (%s)',
    async (next_page) => {
      await using server = await openFakeServer((_, response) => answer(response, 200, page([1], { next_page })));
      expect(await failureOf(() => allOf(pagesOf(clientOf(server.url), list)))).toMatchObject({
        code: 'service_answer',
      });
      expect(server.asked).toHaveLength(1);
    },
  );

  it.each([{}, { pagination: null }, { pagination: [7] }, { pagination: { next_page: 7, next_page_token: '' } }])(
    'end with a page that has no next one (%j)',
    async (rest) => {
      await using server = await openFakeServer((_request, response) =>
        answer(response, 200, { collection: [{ id: 1 }], ...rest }),
      );
      expect(await ids(pagesOf(clientOf(server.url), list))).toEqual([[1]]);
      expect(server.asked).toHaveLength(1);
    },
  );

  it.each([
    ['a page leads to itself', 2, () => 'again'],
    ['two pages lead to each other', 3, (url = '') => (url.includes('=a') ? 'b' : 'a')],
  ])('end with an error when %s', async (_, asked, next) => {
    await using server = await openFakeServer((request, response) =>
      answer(response, 200, page([1], { next_page_token: next(request.url) })),
    );
    expect(await failureOf(() => allOf(pagesOf(clientOf(server.url), list)))).toMatchObject({ code: 'service_answer' });
    expect(server.asked).toHaveLength(asked);
  });

  it('have every record as sent, and of the parsed ones those that can be parsed', async () => {
    await using server = await openFakeServer((_, response) =>
      answer(response, 200, { collection: [{ id: 1 }, { id: 'x' }, 'y', null], pagination: {} }),
    );
    const { value } = await pagesOf(clientOf(server.url), list).next();
    expect(value?.records).toEqual([{ id: 1 }, { id: 'x' }, { unreadable: 'y' }, { unreadable: null }]);
    expect(value?.items).toEqual([{ id: 1 }]);
  });
});
