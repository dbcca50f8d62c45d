// The schema of PostgreSQL that has the tables of an installation. It is a parameter of the database's address, so that every
// connection gets it.
export const isPostgres = (url = ''): boolean => /^postgres(ql)?:/i.test(url);

export function withSchema(url: string, schema: string | undefined): string {
  if (schema === undefined || !isPostgres(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}schema=${schema}`;
}

/** Undefined: the schema that PostgreSQL chooses, usually `public`. */
export const schemaIn = (url: string): string | undefined =>
  isPostgres(url) ? /[?&]schema=([a-z0-9_]+)$/.exec(url)?.[1] : undefined;
