/** The wall clock of a page, in milliseconds since 1970. Everything else gets a time handed in, or asks here. */
export const nowMs = (): number => Date.now();
