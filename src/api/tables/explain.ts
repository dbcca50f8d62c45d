// What a page of rows says of its question besides the rows: the kinds of its columns, their order, and the SQL that asks the same.
import type { ApiContext } from '#src/api/api-operation.ts';
import { findRelation } from '#src/read/tables/relation.ts';
import { sortColumns } from '#src/read/tables/order.ts';
import type { OrderTerm } from '#src/read/tables/question.ts';
import { selectedKinds } from '#src/read/tables/rows.ts';
import { statementText } from '#src/read/tables/statement-text.ts';
import type { ColumnKind } from '#src/store/columns.ts';
import { readQuestion, usualRows, type Parameters } from './grammar.ts';

export interface ExplainedQuestion {
  readonly isGrouped: boolean;
  readonly kinds: Readonly<Record<string, ColumnKind>>;
  /** Columns that make a group; empty without groups. */
  readonly groupedBy: readonly string[];
  /** In which the rows come, also where none was asked for. */
  readonly order: readonly OrderTerm[];
  readonly sql: string;
}

export interface Explainable {
  readonly name: string;
  readonly isAdmin: boolean;
  /** Without those of the page. */
  readonly parameters: Parameters;
}

/** Undefined where there is no such table; a question that the door refuses is refused here with the same words. */
export async function explainQuestion(
  { reading }: Pick<ApiContext, 'reading'>,
  { name, isAdmin, parameters }: Explainable,
): Promise<ExplainedQuestion | undefined> {
  const relation = await findRelation(reading, name);
  if (relation === undefined) return undefined;
  const question = readQuestion({ relation, isAdmin }, parameters);
  const { isGrouped, select } = question;
  const groupedBy = isGrouped ? select.filter(({ aggregate }) => !aggregate).map((each) => each.name) : [];
  return {
    isGrouped,
    kinds: selectedKinds(relation, select),
    groupedBy,
    order: isGrouped ? question.order : sortColumns(relation, question.order),
    sql: statementText(reading, relation, { question, limit: usualRows }),
  };
}
