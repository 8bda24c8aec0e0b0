import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { openEmptyFolder } from '../support/documents/emptyFolder.ts';
import { fencesOf, readDocument } from '../support/documents/markdown.ts';
import { everythingOverHttp, type ListeningServer, type RealServers, realServers } from '../support/mcp/realServers.ts';
import { freePort } from '../support/network/freePort.ts';
import { verifies } from '../support/verifies.ts';

/** What the last two commands of each section print. */
const listed = /"name":\s*"echo"/;
const called = /Echo: hello/;

describe('the first call of GATEWAY.md', () => {
  let servers: RealServers;
  let running: ListeningServer;
  before(async function () {
    this.timeout(300_000); // installs the server once
    servers = await realServers();
    running = await everythingOverHttp(servers.program('everything'));
  });
  after(() => running.close());

  for (const section of ['Make your first call with a configuration file', 'Make your first call with the API']) {
    it(`works in an empty folder with six commands: ${section}`, async () => {
      verifies('gateway.command.first-call');
      const commands = fencesOf(readDocument('GATEWAY.md')).filter((it) => it.section === section);
      assert.equal(commands.length, 6);
      const place = openEmptyFolder(servers.program('everything'));
      try {
        const port = await freePort();
        const own = (text: string) =>
          text.replaceAll('http://127.0.0.1:3001/mcp', running.url).replaceAll('4000', String(port));
        const printed: string[] = [];
        for (const { text } of commands) printed.push(await place.run(own(text)));
        assert.match(printed[4] ?? '', listed);
        assert.match(printed[5] ?? '', called);
        const said = readFileSync(join(place.folder, 'gateway.log'), 'utf8') + printed.join('');
        const [key = ''] = readFileSync(join(place.folder, 'key-header'), 'utf8').match(/sk-\S+/) ?? [];
        assert.ok(key.length > 16);
        for (const secret of [key, readFileSync(join(place.folder, 'admin-key'), 'utf8').trim()])
          assert.equal(said.includes(secret), false, 'no key is in the log or on the screen');
      } finally {
        place.close();
      }
    });
  }
});
