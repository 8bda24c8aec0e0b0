/** What no test shows yet, in the order of the document. `test/architecture/requirements.test.ts` holds it exactly. */
export const open: readonly string[] = [];
