// Tells whether a connection to PostgreSQL is direct. A pooler such as PgBouncer rejects or drops the options of the start-up message,
// and with them settings that the store and the queue rely on.

/** For the start-up message; nothing else sets it, so where it is missing, the message did not reach the server. */
export const directOption = '-c slotstream.direct=yes';

const question = `select coalesce(current_setting('slotstream.direct', true), '') as direct`;

export async function isDirect(connection: {
  query(text: string): Promise<{ readonly rows: readonly { readonly direct?: unknown }[] }>;
}): Promise<boolean> {
  return (await connection.query(question)).rows[0]?.direct === 'yes';
}
