/** What went wrong, for a message or the log. */
export const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
