import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { errorCodes } from '../../../../../sidecar/protocol/errors.ts';
import type { MethodName } from '../../../../../sidecar/protocol/methods.ts';
import { ROOT } from '../../../../../sidecar/protocol/uris.ts';
import { openResourcePlace, type ResourcePlace, SECRET, uriOf } from '../../../../support/resources/resourcePlace.ts';

const { InvalidParams, NotFound, PermissionDenied, AlreadyExists, MethodNotFound } = errorCodes;
type Access = 'read' | 'write' | 'both';

interface Operation {
  readonly method: MethodName;
  readonly params: (uri: string, plain: string) => object;
  readonly access: Access;
  /** The last name is not followed where it is a link. */
  readonly onLink?: true;
}

/** Each way to a file, with `uri` as what is attacked. */
const operations: readonly Operation[] = [
  { method: 'resourceRead', access: 'read', params: (uri) => ({ uri }) },
  { method: 'resourceWrite', access: 'write', params: (uri) => ({ uri, data: 'x', encoding: 'utf-8' }) },
  { method: 'resourceList', access: 'read', params: (uri) => ({ uri }) },
  { method: 'resourceResolve', access: 'read', params: (uri) => ({ uri }) },
  { method: 'resourceDelete', access: 'write', onLink: true, params: (uri) => ({ uri, recursive: true }) },
  { method: 'resourceMkdir', access: 'write', params: (uri) => ({ uri }) },
  { method: 'resourceCopy', access: 'read', params: (uri, plain) => ({ source: uri, destination: `${plain}/copy` }) },
  {
    method: 'resourceMove',
    access: 'both',
    onLink: true,
    params: (uri, plain) => ({ source: uri, destination: `${plain}/moved` }),
  },
  { method: 'createResourceWatch', access: 'read', params: (uri) => ({ uri, recursive: true }) },
];
const into: readonly Operation[] = [
  {
    method: 'resourceCopy',
    access: 'write',
    onLink: true,
    params: (uri, plain) => ({ source: `${plain}/a.txt`, destination: uri }),
  },
  {
    method: 'resourceMove',
    access: 'write',
    onLink: true,
    params: (uri, plain) => ({ source: `${plain}/a.txt`, destination: uri }),
  },
];

/** Spellings of what lies outside; `{in}` and `{base}` stand for the folder of the session and the one above it. */
const outside: readonly { readonly says: string; readonly uri: string; readonly isLink?: true }[] = [
  { says: 'dots', uri: '{in}/../outside/secret.txt' },
  { says: 'percent dots', uri: '{in}/%2e%2e/outside/secret.txt' },
  { says: 'a percent slash', uri: '{in}/..%2Foutside%2fsecret.txt' },
  { says: 'dots behind a folder that is not there', uri: '{in}/none/../../outside/secret.txt' },
  { says: 'the plain path', uri: '{base}/outside/secret.txt' },
  { says: 'a new name outside', uri: '{base}/outside/new.txt' },
  { says: 'a neighbour whose name begins alike', uri: '{in}side/secret.txt' },
  { says: 'other letters', uri: '{base}/INSIDE/a.txt' },
  { says: 'the scheme in capitals', uri: 'FILE{outside}/secret.txt' },
  { says: 'a link to a folder on the way', uri: '{in}/out-folder/secret.txt' },
  { says: 'a link to a folder, and dots', uri: '{in}/out-folder/../../outside/secret.txt' },
];
const links: typeof outside = [
  { says: 'a link to a file', uri: '{in}/out-file' },
  { says: 'a link to a folder', uri: '{in}/out-folder' },
];
const malformed = [
  { says: 'no scheme', uri: '/etc/passwd' },
  { says: 'a relative path', uri: '../outside/secret.txt' },
  { says: 'a query', uri: '{in}/a.txt?x' },
  { says: 'a fragment', uri: '{in}/a.txt#x' },
  { says: 'a zero byte', uri: '{in}/a.txt%00.md' },
  { says: 'four slashes', uri: 'file:////etc/passwd' },
];
const unreachable = [
  { says: 'a file of another machine', uri: 'file://server/share/a.txt' },
  { says: 'the web', uri: 'http://127.0.0.1/a.txt' },
  { says: 'a file of the editor', uri: 'vscode-userdata:/settings.json' },
  { says: 'what nobody published', uri: 'virtual://c9/a.txt' },
  { says: 'content as if it were a folder', uri: 'host-content:/../../a' },
  { says: "the host's own files", uri: '{data}/host.db' },
];

describe('resources outside of what a client may reach', () => {
  let place: ResourcePlace;
  let answers = '';
  before(async () => {
    place = await openResourcePlace();
  });
  after(() => place.close());

  const fill = (uri: string) =>
    uri
      .replace('{in}', uriOf(place.inside))
      .replace('{base}', uriOf(place.base))
      .replace('{outside}', uriOf(place.outside).slice(4))
      .replace('{data}', uriOf(place.host.dataDir));

  async function attack({ method, params }: Operation, uri: string, code: number, data: unknown): Promise<void> {
    const [before, insideBefore] = [place.look(place.outside), place.look(place.inside)];
    const refused = await place.peer.request(method, params(uri, uriOf(place.inside)) as never).then(
      (result) => assert.fail(`${method} answered ${JSON.stringify(result)}`),
      (error: { code: number; message: string; data: unknown }) => error,
    );
    answers += JSON.stringify([refused.message, refused.data]);
    assert.deepEqual({ code: refused.code, data: refused.data }, { code, data });
    assert.deepEqual(place.look(place.outside), before);
    assert.deepEqual(place.look(place.inside), insideBefore);
  }
  const requestOf = (uri: string, access: Access) => ({
    request: {
      channel: ROOT,
      uri,
      ...(access !== 'write' && { read: true }),
      ...(access !== 'read' && { write: true }),
    },
  });

  for (const operation of [...operations, ...into]) {
    for (const { says, uri } of outside) {
      it(`${operation.method} (${operation.access}) refuses ${says}, with the request that would unlock it`, () =>
        attack(operation, fill(uri), PermissionDenied, requestOf(fill(uri), operation.access)));
    }
    for (const { says, uri } of malformed) {
      it(`${operation.method} (${operation.access}) takes no URI with ${says}`, () =>
        attack(operation, fill(uri), InvalidParams, undefined));
    }
    for (const { says, uri } of unreachable) {
      it(`${operation.method} (${operation.access}) offers no way to ${says}`, () =>
        attack(operation, fill(uri), PermissionDenied, {}));
    }
  }
  for (const operation of operations.filter((it) => it.onLink === undefined)) {
    for (const { says, uri } of links) {
      it(`${operation.method} refuses ${says} that leads outside`, () =>
        attack(operation, fill(uri), PermissionDenied, requestOf(fill(uri), operation.access)));
    }
  }

  const write = operations[1]!;
  for (const { says, operation, uri, code, data } of [
    {
      says: 'write through a link whose target does not exist',
      operation: write,
      uri: '{in}/out-nowhere',
      code: PermissionDenied,
      data: {},
    },
    {
      says: 'make a folder of a link whose target does not exist',
      operation: operations[5]!,
      uri: '{in}/out-nowhere',
      code: AlreadyExists,
    },
    { says: 'read a link that leads to itself', operation: operations[0]!, uri: '{in}/loop', code: NotFound },
    {
      says: 'resolve a link whose target does not exist',
      operation: operations[3]!,
      uri: '{in}/out-nowhere',
      code: NotFound,
    },
    {
      says: 'find dots that are encoded twice',
      operation: operations[0]!,
      uri: '{in}/%252e%252e/outside/secret.txt',
      code: NotFound,
    },
    {
      says: 'find a name with a backslash',
      operation: operations[0]!,
      uri: '{in}/..%5Coutside%5Csecret.txt',
      code: NotFound,
    },
    {
      says: 'remove the folder of the session',
      operation: operations[4]!,
      uri: '{in}',
      code: PermissionDenied,
      data: {},
    },
    {
      says: 'move the folder of the session',
      operation: operations[7]!,
      uri: '{in}/.',
      code: PermissionDenied,
      data: {},
    },
    { says: 'read a folder as a file', operation: operations[0]!, uri: '{in}/sub', code: NotFound },
    { says: 'write a folder as a file', operation: write, uri: '{in}/sub', code: AlreadyExists },
  ] as const) {
    it(`does not ${says}`, () => attack(operation, fill(uri), code, 'data' in { data } ? data : undefined));
  }

  for (const uri of [
    '{in}/.git/config',
    '{in}/.GIT/config',
    '{in}/.git/hooks/pre-commit',
    '{in}/.vscode/tasks.json',
    '{in}/.cursor/mcp.json',
    '{in}/.claude/plugins/p/.mcp.json',
    '{in}/sub/.husky/x',
    '{in}/.switchboard/a.md',
    '{in}/sub/a.code-workspace',
  ]) {
    it(`writes ${uri.slice(5)} only with a grant, since others run it`, () =>
      attack(write, fill(uri), PermissionDenied, requestOf(fill(uri), 'write')));
  }

  it('told nobody the secret, neither plainly nor as base64', () => {
    assert.ok(answers.length > 10_000);
    assert.ok(!answers.includes(SECRET) && !answers.includes(Buffer.from(SECRET).toString('base64')));
  });

  it('serves none of the family before the handshake', async () => {
    const silent = place.host.connectSilently();
    for (const { method, params } of operations) {
      await assert.rejects(silent.request(method, params(uriOf(place.inside), uriOf(place.inside)) as never), {
        code: MethodNotFound,
      });
    }
  });
});
