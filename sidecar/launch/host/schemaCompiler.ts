/** Loaded after the host has started. */
export { compile } from 'zod/v4/core';
