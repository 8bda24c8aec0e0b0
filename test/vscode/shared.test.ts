import { after } from 'mocha';
import { endShared } from './driver/servedBackend.ts';

// After all suites of the run: it stands in none.
after(endShared);
