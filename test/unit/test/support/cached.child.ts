import { cached } from '../../../support/cache.ts';

process.stdout.write('begins\n');
const folder = await cached('thing', async () => void process.stdout.write('fills\n'));
process.stdout.write(`${folder}\n`);
