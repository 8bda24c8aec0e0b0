import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, it } from 'mocha';
import { fetchWith, textOfHtml } from '../../../../../sidecar/agents/coder/tools/fetchPage.ts';
import type { ToolScope } from '../../../../../sidecar/agents/coder/tools/tool.ts';
import { Fault } from '../../../../../sidecar/platform/faults.ts';
import { systemTimers } from '../../../../../sidecar/platform/timers.ts';

describe('the text of a page', () => {
  for (const [what, html, text] of [
    ['has a line for each block', '<h1>A</h1><p>b <b>c</b></p><br>d', 'A\n\nb c\n\nd'],
    ['contains no scripts, styles, or comments', 'a<SCRIPT>x < 1</script ><style>y</style><!-- <p>z</p> -->b', 'ab'],
    ['contains no head', '<head><title>t</title></head><body>b</body>', 'b'],
    ['contains the body after a head without an end tag', '<head><body>b', 'b'],
    ['contains a header', '<header>h</header>', 'h'],
    ['contains entities as characters', 'a &lt; b &amp; c&nbsp;d', 'a < b & c d'],
    ['contains a character that begins no tag', 'a < b', 'a < b'],
  ] as const)
    it(what, () => assert.equal(textOfHtml(html), text));

  for (const piece of ['<', '<script', '<script>', '<head>', '<!--', '</p', '<p>'])
    it(`takes linear time for a page that repeats ${piece}`, () => {
      assert.ok(textOfHtml(piece.repeat(1_000_000 / piece.length)).length <= 1_000_000);
    });
});

describe('a fetch of an address', () => {
  let server: Server;
  afterEach(() => {
    server.close();
    server.closeAllConnections();
  });

  async function fetchFrom(answer: RequestListener): Promise<unknown> {
    server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const scope = { confirm: async () => ({ allow: true }), signal: new AbortController().signal };
    return fetchWith(systemTimers)
      .run({ url }, scope as unknown as ToolScope)
      .catch((thrown: unknown) => thrown);
  }

  for (const [what, answer, message] of [
    [
      'ends before its content is complete',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('half', () => response.destroy());
      },
      /^The address could not be loaded\./,
    ],
    [
      'redirects to an invalid address',
      (_request, response) => response.writeHead(302, { location: 'http://[' }).end(),
      /^The address redirects to an address that is not valid\./,
    ],
  ] satisfies [string, RequestListener, RegExp][])
    it(`fails with a message if the response ${what}`, async () => {
      const failure = await fetchFrom(answer);
      assert.ok(failure instanceof Fault);
      assert.match(failure.message, message);
    });

  it('reports a redirect, and does not follow it', async () => {
    const outcome = (await fetchFrom((_request, response) =>
      response.writeHead(302, { location: '/other' }).end(),
    )) as { text: string };
    assert.match(outcome.text, /^It redirects to http:\/\/127\.0\.0\.1:\d+\/other\. Fetch that address\.$/);
  });
});
