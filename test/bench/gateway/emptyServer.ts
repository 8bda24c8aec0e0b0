import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** What any server costs that keeps its records in a file: Node, a database that is opened and asked, one answer. */
const SOURCE = `
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
const db = new DatabaseSync(process.argv[1]);
const server = createServer((_, response) => {
  const { count } = db.prepare('select count(*) as count from records').get();
  response.end(String(count));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)));
`;

/**
 * Milliseconds from the start of the process to its first answer.
 *
 * @param file a database of the gateway that nothing else has open
 */
export async function emptyServerMs(file: string): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SOURCE, file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  const response = await fetch(`http://127.0.0.1:${port.toString()}/`);
  const text = await response.text();
  const tookMs = performance.now() - started;
  if (!(Number(text) > 0)) throw new Error(`the empty server answered '${text}'`);
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  return tookMs;
}
