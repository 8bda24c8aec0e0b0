import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

// The flags of curl that the documents use, with curl's meaning, for machines without it.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'show-error': { type: 'boolean', short: 'S' },
    header: { type: 'string', short: 'H', multiple: true },
    json: { type: 'string' },
    retry: { type: 'string' },
    'retry-connrefused': { type: 'boolean' },
  },
});
const lines = (values.header ?? []).flatMap((it) =>
  it.startsWith('@')
    ? readFileSync(it === '@-' ? 0 : it.slice(1), 'utf8')
        .split('\n')
        .filter(Boolean)
    : [it],
);
const headers = new Headers(lines.map((it) => [it.slice(0, it.indexOf(':')), it.slice(it.indexOf(':') + 1).trim()]));
if (values.json !== undefined) headers.set('content-type', 'application/json');
const ask = (left, waitMs) =>
  fetch(positionals[0], { method: values.json === undefined ? 'GET' : 'POST', headers, body: values.json }).catch(
    async (thrown) => {
      if (left === 0 || thrown.cause?.code !== 'ECONNREFUSED') throw thrown;
      await setTimeout(waitMs);
      return ask(left - 1, waitMs * 2);
    },
  );
const response = await ask(Number(values.retry ?? 0), 1_000);
process.stdout.write(await response.text());
