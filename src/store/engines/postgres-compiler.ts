// Every statement names the schema of the tables, so that nothing depends on the search path of a session, which a pooler drops.
import { PostgresQueryCompiler, type ReferenceNode, type TableNode } from 'kysely';
import { ownNames } from './foreign-tables.ts';

export class QualifyingCompiler extends PostgresQueryCompiler {
  readonly #schema: string;
  readonly #own: ReadonlySet<string> = new Set(ownNames());

  constructor(schema: string) {
    super();
    this.#schema = schema;
  }

  /** A table or view of ours; a part of the query (`with`) or a temporary table keeps its name. */
  protected override visitTable(node: TableNode): void {
    const { schema, identifier } = node.table;
    if (schema === undefined && this.#own.has(identifier.name)) this.append(`"${this.#schema}".`);
    super.visitTable(node);
  }

  /** A column is named by its table without the schema, which also finds a table under an alias. */
  protected override visitReference(node: ReferenceNode): void {
    if (node.table !== undefined && node.table.table.schema === undefined) {
      this.visitNode(node.table.table);
      this.append('.');
      this.visitNode(node.column);
    } else super.visitReference(node);
  }
}
