import { afterEach, beforeEach } from 'mocha';
import type { McpServer } from '../../../../sidecar/gateway/mcp/mcpDeps.ts';
import { type TestGateway, type TestGatewayOptions, testGateway } from '../../../support/mcp/gateway.ts';
import { type HttpFixture, httpFixture } from '../../../support/mcp/httpFixture.ts';
import { RawClient } from '../../../support/mcp/rawClient.ts';

/** In each test of the suite that asks for it: the MCP surface in front of two servers of the same tools, and a client of `/mcp`. */
export class TwoServers {
  web!: HttpFixture;
  other!: HttpFixture;
  gateway!: TestGateway;
  client!: RawClient;
  readonly #gateways: TestGateway[] = [];

  constructor() {
    beforeEach(async () => {
      this.web = await httpFixture({ name: 'web', json: true });
      this.other = await httpFixture({ name: 'other', json: true });
      await this.start();
    });
    afterEach(async () => {
      await Promise.all(this.#gateways.splice(0).map((it) => it.close()));
      await this.web.close();
      await this.other.close();
    });
  }

  /** Another gateway in front of the two, which the client asks from then on. @param registration of `web` */
  async start(more: Partial<TestGatewayOptions> = {}, registration: Partial<McpServer> = {}): Promise<void> {
    this.gateway = await testGateway({
      servers: [
        { server_id: 'id-web', alias: 'web', transport: 'http', url: this.web.url, ...registration },
        { server_id: 'id-other', alias: 'other', transport: 'http', url: this.other.url, mcp_access_groups: ['staff'] },
      ],
      toolsets: { readers: ['id-web'] },
      ...more,
    });
    this.#gateways.push(this.gateway);
    this.client = new RawClient(`${this.gateway.base}/mcp`);
  }

  at(path: string): RawClient {
    return this.client.at(`${this.gateway.base}${path}`);
  }
}
