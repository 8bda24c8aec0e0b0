/** Lets the extension host handle waiting messages and other extensions first. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
