import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { fetchesLoosely } from '../../../../sidecar/platform/loosePackage.ts';

describe('a program that fetches a package', () => {
  for (const line of [
    'npx server-files',
    'npx -y @scope/server',
    'npx -y @scope/server@latest',
    'npx -y server@^1.2.3',
    'npx -y server@1.2',
    'npx -y server@next --port 1@1.2.3',
    'npx --yes --package=server bin@1.2.3',
    'npx -p one@1.2.3 -p two bin',
    'npx github:owner/repo',
    'npx https://example.com/a.tgz',
    'npx -- server',
    '/usr/local/bin/npx server',
    'C:\\node\\NPX.cmd server',
    'npm exec -y server',
    'npm x -- server',
    'pnpm dlx server',
    'yarn dlx server',
    'bun x server',
    'bunx server',
    'uvx server',
    'uvx server@latest',
    'uvx --from git+https://example.com/a server',
    'uvx --python 3.12 server',
    'uvx --from server==1.2.* bin',
    'uvx --with helper server==1.2.3',
    'uv tool run server',
    'pipx run server',
  ])
    it(`without an exact version: ${line}`, () => assert.equal(of(line), true));

  for (const line of [
    'npx server-files@1.2.3',
    'npx -y @scope/server@1.2.3-beta.1+5 --port 1 other',
    'npx --registry https://r.example server@1.2.3',
    'npx -p server@1.2.3 bin',
    'npx alias@npm:@scope/server@1.2.3',
    'npx -y ./server',
    'npx /opt/server',
    'npx',
    'npm run server',
    'npm exec -- server@1.2.3',
    'pnpm start',
    'uvx server@1.2.3',
    'uvx server==1.2.3',
    'uvx --from server[http]==1.2.3 bin',
    'uvx -p 3.12 --with helper==1.0 server@1!2.0.post1',
    'uv run server.py',
    'pipx run --spec server==1.2.3 bin',
    'node server.mjs npx',
    '/opt/my-npx server',
  ])
    it(`with an exact one, or none that is fetched: ${line}`, () => assert.equal(of(line), false));

  it('is not there without a command or arguments', () => {
    assert.equal(fetchesLoosely(undefined, ['server']), false);
    assert.equal(fetchesLoosely('npx', null), false);
  });

  function of(line: string): boolean {
    const [command, ...args] = line.split(' ');
    return fetchesLoosely(command, args);
  }
});
