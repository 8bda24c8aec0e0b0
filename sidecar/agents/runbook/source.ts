import type { FoundRunbook } from './find.ts';

/** Where the text of a runbook comes from; absent: from the prompt. */
export type RunbookSource = Pick<FoundRunbook, 'name' | 'origin'> | undefined;

/** The file that a client can open: one in a folder of the session. */
export function fileOf(source: RunbookSource): string | undefined {
  return source?.origin === 'workspace' ? `.switchboard/runbooks/${source.name}.md` : undefined;
}

/** For a person. Clients link a file that stands before a colon and a line. */
export function whereIs(source: RunbookSource, line: number): string {
  const file = fileOf(source);
  if (file !== undefined) return `The step is at ${file}:${line}.`;
  return `The step is on line ${line} of ${source ? `the runbook "${source.name}"` : 'the prompt'}.`;
}
