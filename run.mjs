// Every npm script starts here: `node run.mjs <script> [args]`. Plain JavaScript, so that an old Node can read it and say so.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
process.stdout.write(`node ${process.version}\n`);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'Switchboard needs Node 22.19 or later: run "npm ci" again, or install a newer Node and try again.\n',
  );
  process.exit(1);
}
const script = resolve(process.argv[2] ?? '');
process.argv.splice(1, 2, script);
await import(pathToFileURL(script).href);
