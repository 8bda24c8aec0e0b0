import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { cacheFolder } from '../cache.ts';

// Test processes share the code that they compile. Processes that tests start do not use this cache.
enableCompileCache(join(cacheFolder, 'compiled'));
