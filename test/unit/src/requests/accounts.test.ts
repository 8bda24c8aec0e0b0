import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { errorCodes } from '../../../../sidecar/protocol/errors.ts';
import { Tokens } from '../../../../src/config/tokens.ts';
import { Accounts } from '../../../../src/requests/accounts.ts';
import { showCreationFailure } from '../../../../src/webviews/chat/chatPrompts.ts';
import type { Banner } from '../../../../src/webviews/contract/chatModel.ts';
import { MemorySecrets } from '../../../support/memorySecrets.ts';
import { verifies } from '../../../support/verifies.ts';

const resource = 'https://vault.test/api';
const granted = { accessToken: 'access', refreshToken: 'refresh' };
const described = [errorCodes.AuthRequired, errorCodes.UnsupportedProtocolVersion, errorCodes.PermissionDenied];
const others = Object.values(errorCodes).filter((it) => !(described as number[]).includes(it));
/** What a described code would have there, and what nobody would. */
const data = [{ resources: [{ resource }] }, { request: { uri: 'file:///' } }, { conflicts: 7 }, [1], 'text', null];

describe('what a window makes of an error of the host', () => {
  const errors = others.flatMap((code) => data.map((it) => Object.assign(new Error('no'), { code, data: it })));

  it('does not hang on data of codes for which none is described', async () => {
    verifies('host.error.unspecified');
    assert.ok(errors.length > 40);
    for (const error of errors) {
      const asked: string[] = [];
      const tokens = new Tokens(new MemorySecrets());
      const accounts = new Accounts({
        port: {
          request: (method) => {
            asked.push(method);
            return Promise.reject(error);
          },
        },
        tokens,
        discover: () => Promise.reject(new Error('nobody is there')),
        nowMs: () => 0,
        warn: () => undefined,
      });
      await assert.rejects(accounts.keep(resource, granted), error);
      // Neither refused, nor renewed, nor thrown away, though the data speak of the resource.
      assert.equal(await accounts.push(resource), false);
      assert.deepEqual(asked, ['authenticate', 'authenticate']);
      assert.equal((await tokens.get(resource))?.accessToken, 'access');
      const banners: Banner[] = [];
      showCreationFailure({ addBanner: (it: Banner) => banners.push(it) } as never, error);
      assert.deepEqual(
        banners.map((it) => it.kind),
        ['creationFailed'],
      );
    }
  });
});

describe('a window that renews a token', () => {
  it('gives its turn back when the token is stored and the host has it, and not before', async () => {
    const asked: string[] = [];
    const tokens = new Tokens(new MemorySecrets());
    const whose = { issuer: 'https://issuer.test', client: { clientId: 'c' } };
    await tokens.set(resource, { accessToken: 'spent', refreshToken: 'old', expiresAt: 1, ...whose });
    const accounts = new Accounts({
      port: {
        request: (async (method: string) => {
          asked.push(`${method} ${(await tokens.get(resource))?.refreshToken}`);
          return { lease: 'lease' };
        }) as never,
      },
      tokens,
      discover: () => Promise.resolve({ refresh: () => Promise.resolve(granted) } as never),
      nowMs: () => 2,
      warn: () => undefined,
    });
    assert.equal(await accounts.push(resource), true);
    assert.deepEqual(asked, [
      'x-switchboard/refreshLease old',
      'authenticate refresh',
      'x-switchboard/refreshLeaseEnd refresh',
    ]);
  });
});
