import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../cache.ts';

// Loaded before the tests of a process: what one process compiled, the next one reads. Those that tests start have none of it.
enableCompileCache(join(cacheFolder, 'compiled'));
