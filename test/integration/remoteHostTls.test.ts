import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { problemRow } from '../../src/remote/remoteTexts.ts';
import { Far } from '../support/host/far.ts';
import { type Served, serve } from '../support/host/served.ts';
import { openTlsTerminator, type TlsTerminator } from '../support/network/tlsTerminator.ts';
import { openSidecarPlace, type SidecarPlace } from '../support/sidecar.ts';

const l10n = { t: (message: string, ...args: unknown[]) => message.replace(/\{(\d)\}/g, (_, n) => String(args[n])) };

describe('a window attached to a host behind TLS', () => {
  const trusted = getCACertificates('default');
  let place: SidecarPlace;
  let root: string;
  let served: Served;
  let proxy: TlsTerminator | undefined;
  let far: Far | undefined;
  beforeEach(async () => {
    place = openSidecarPlace();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-tls-')));
    served = await serve(place, root);
  });
  afterEach(async () => {
    setDefaultCACertificates(trusted);
    far?.remote.dispose();
    far?.host.client.dispose();
    await proxy?.close();
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });

  /** @param address that the certificate is for */
  async function attach(isTrusted: boolean, address?: readonly number[]): Promise<Far> {
    proxy = await openTlsTerminator(served.url, address);
    if (isTrusted) setDefaultCACertificates([...trusted, proxy.cert]);
    far = new Far(proxy.url, served.token);
    far.remote.start();
    return far;
  }
  const shown = ({ remote }: Far) => problemRow(l10n, proxy?.url ?? '', remote.state)?.detail;

  it('is attached where this machine trusts its certificate', async () => {
    const it = await attach(true);
    await it.is('attached');
    assert.deepEqual((await it.host.client.request('root/listSessions', {})).items, []);
    assert.ok(proxy!.heard() > 0);
  });

  it('says what is wrong with a certificate that nobody here trusts, and gives no token away', async () => {
    const it = await attach(false);
    await it.is('lost');
    const words = `This machine does not trust the certificate for ${proxy!.url} (self-signed certificate). Add its certificate authority to this machine's trusted authorities, or set NODE_EXTRA_CA_CERTS to the path of the authority's certificate file. Then restart VS Code.`;
    assert.equal(shown(it), words);
    assert.equal(proxy!.heard(), 0);
  });

  it('says so of one that is for another name', async () => {
    const it = await attach(true, [127, 0, 0, 2]);
    await it.is('lost');
    assert.match(
      shown(it) ?? '',
      /^The certificate for wss:\S+ has expired or was issued for a different name \(.*127\.0\.0\.1.*\)\. Install/,
    );
    assert.equal(proxy!.heard(), 0);
  });

  it('comes in when it is tried again after the certificate is trusted', async () => {
    const it = await attach(false);
    await it.is('lost');
    setDefaultCACertificates([...trusted, proxy!.cert]);
    it.remote.retry();
    await it.is('attached');
  });
});
