// How operations of the public form read a request: what they do not know counts as not sent, lists may be written as `name[]`, a
// form is as good as JSON, and no body is an empty object.
import type { Context as HonoContext } from 'hono';
import type { z } from 'zod';
import { isObject, propertyOf } from '#schemas/wire.ts';
import { readJson, readKnownQuery, type RawQuery } from '#src/http/request.ts';
import { readForm } from './form-body.ts';
import type { ServiceOperation } from './service-operation.ts';

export const readPublicQuery = ({ req }: HonoContext, { query }: ServiceOperation): RawQuery =>
  readKnownQuery(req, query);

export async function readPublicBody({ req }: HonoContext, { body: schema }: ServiceOperation): Promise<unknown> {
  const bytes = await req.arrayBuffer();
  if (bytes.byteLength === 0) return {};
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(req.header('content-type') ?? '');
  const body = isForm
    ? readForm(new TextDecoder().decode(bytes))
    : await readJson({ headers: req.raw.headers, arrayBuffer: () => Promise.resolve(bytes) });
  return schema ? mended(schema, body, isForm) : body;
}

type Issue = z.core.$ZodIssue;

/** Each round finds what the one before has uncovered. */
const mostRounds = 5;

/** The body without unknown fields at any depth; a form has only texts, so numbers and flags are read from them. */
function mended(schema: z.ZodType, body: unknown, isForm: boolean): unknown {
  const copy = structuredClone(body);
  for (let round = 0; round < mostRounds; round += 1) {
    const issues = schema.safeParse(copy).error?.issues ?? [];
    const changes = issues.filter((issue) => dropUnknown(copy, issue) || (isForm && readText(copy, issue)));
    if (changes.length === 0) break;
  }
  return copy;
}

const homeOf = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((home, key) => propertyOf(home, String(key)), body);

function dropUnknown(body: unknown, issue: Issue): boolean {
  const home = issue.code === 'unrecognized_keys' ? homeOf(body, issue.path) : undefined;
  if (issue.code !== 'unrecognized_keys' || !isObject(home)) return false;
  return issue.keys.filter((key) => Reflect.deleteProperty(home, key)).length > 0;
}

function readText(body: unknown, { code, path }: Issue): boolean {
  const home = homeOf(body, path.slice(0, -1));
  const key = String(path.at(-1));
  const text = propertyOf(home, key);
  if ((code !== 'invalid_type' && code !== 'invalid_value') || typeof home !== 'object' || home === null) return false;
  if (typeof text !== 'string' || !/^(true|false|-?(0|[1-9]\d{0,14})(\.\d{1,10})?)$/.test(text)) return false;
  return Reflect.set(home, key, JSON.parse(text));
}
