import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'mocha';
import { StandingClock } from '../../../support/gateway/clock.ts';
import { PageBrowser } from '../../../support/gateway/pageBrowser.ts';
import { RawOAuth } from '../../../support/gateway/rawOAuth.ts';
import { openStand, type Stand } from '../../../support/gateway/stand.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';

export const near = 'http://127.0.0.1:9/callback';
export const far = 'https://client.example/callback';

/** In each test of the suite that asks for it: a gateway with two servers, a person with a key, and a client that is registered. */
export class SignInScene {
  clock!: StandingClock;
  world!: Stand;
  key!: string;
  browser!: PageBrowser;
  client!: RawOAuth;
  server!: HttpFixture;

  constructor() {
    beforeEach(async () => {
      this.server = await httpFixture({ name: 'alpha', json: true });
      this.clock = new StandingClock('2026-06-01T12:00:00Z');
      this.world = await openStand({ clock: this.clock });
      await this.world.addServer({ alias: 'alpha', url: this.server.url });
      await this.world.addServer({ alias: 'beta', url: this.server.url });
      this.key = await this.world.addKey();
      this.browser = new PageBrowser(near, far);
      this.client = await new RawOAuth(this.world.base, near).register();
    });
    afterEach(async () => {
      await this.world.close();
      await this.server.close();
    });
  }

  /** What the client gets when the person allows it. */
  async tokens(changes: Readonly<Record<string, string | undefined>> = {}, prefix = '') {
    const answer = await this.client.allow(this.browser, this.key, changes, prefix);
    const { status, json } = await this.client.redeem(answer.get('code'), changes);
    assert.equal(status, 200, JSON.stringify(json));
    return json;
  }
}
