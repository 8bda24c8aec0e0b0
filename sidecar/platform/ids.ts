import { randomUUID } from 'node:crypto';

/** A fresh random id, as in channel URIs. Handed in as `() => string`, so that tests are exact. */
export const newId = (): string => randomUUID();
