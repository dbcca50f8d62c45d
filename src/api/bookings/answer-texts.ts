// The answers that people can give to the question whether an invitee came, as they read them.
export const answerTexts = { came: 'They came', no_show: 'No-show', none: 'Undo' } as const;
export type AnswerName = keyof typeof answerTexts;
export const isAnswer = (text: string): text is AnswerName => Object.hasOwn(answerTexts, text);
