import { randomUUID } from 'node:crypto';

/** A file name that nobody else has, for what is written whole before it takes its place. Nothing keeps it. */
export const newTemporaryName = (prefix: string): string => `${prefix}${randomUUID()}`;
