import { join } from 'node:path';

/** SQLite's file in a data directory. */
export const embeddedFile = (dataDir: string): string => join(dataDir, 'gateway.db');
