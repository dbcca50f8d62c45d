// The schema of PostgreSQL that has the tables of an installation. It is a parameter of the database's address, so that everything
// that opens the database knows it.
export const isPostgres = (url = ''): boolean => /^postgres(ql)?:/i.test(url);

/** A schema of our own: tools that own `public`, such as those that migrate an application's tables, would remove ours from it. */
export const defaultSchema = 'slotstream';

export function withSchema(url: string, schema: string | undefined): string {
  if (schema === undefined || !isPostgres(url)) return url;
  return `${url}${url.includes('?') ? '&' : '?'}schema=${schema}`;
}

/** The schema that DATABASE_SCHEMA names. */
export const statedSchemaIn = (url: string): string | undefined => /[?&]schema=([a-z0-9_]+)$/.exec(url)?.[1];

export const schemaIn = (url: string): string => statedSchemaIn(url) ?? defaultSchema;
