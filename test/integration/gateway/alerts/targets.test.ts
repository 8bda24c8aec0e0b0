import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { SMTPServer } from 'smtp-server';
import { type AlertStand, openAlertStand } from '../../../support/alerts/alertStand.ts';
import { type AlertReceiver, openAlertReceiver } from '../../../support/alerts/receiver.ts';
import { type StorePlace, sqlitePlace } from '../../../support/gateway/stores.ts';
import { selfSigned } from '../../../support/network/selfSigned.ts';
import { verifies } from '../../../support/verifies.ts';

interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  readonly user: string | undefined;
  readonly isSecure: boolean;
  readonly text: string;
}

/** A real mail server. @param more options of it; with a `key` it offers TLS */
async function openMailServer(more: ConstructorParameters<typeof SMTPServer>[0] = {}) {
  const mails: Mail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    onAuth: ({ username, password }, _session, done) =>
      password === 'correct' ? done(null, { user: username }) : done(new Error('wrong')),
    onData(stream, session, done) {
      let text = '';
      stream.setEncoding('utf8').on('data', (it: string) => (text += it));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const user = typeof session.user === 'string' ? session.user : undefined;
        const from = mailFrom ? mailFrom.address : '';
        mails.push({ from, to: rcptTo.map((it) => it.address), user, isSecure: session.secure, text });
        done();
      });
    },
    ...more,
  });
  server.on('error', () => undefined); // a client that trusts nobody leaves
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const address = server.server.address();
  assert.ok(address && typeof address === 'object');
  return { port: address.port, mails, close: () => new Promise<void>((done) => void server.close(() => done())) };
}

describe('targets of alerts', function targets() {
  let place: StorePlace;
  let stand: AlertStand;
  const opened: { close(): Promise<unknown> }[] = [];
  beforeEach(async () => {
    place = await sqlitePlace();
    stand = await openAlertStand(place);
  });
  afterEach(async () => {
    await stand.close();
    for (const it of opened.splice(0)) await it.close();
    place.remove();
  });
  const receiver = async (): Promise<AlertReceiver> => {
    const made = await openAlertReceiver();
    opened.push(made);
    return made;
  };
  const mailServer = async (more?: Parameters<typeof openMailServer>[0]) => {
    const made = await openMailServer(more);
    opened.push(made);
    return made;
  };
  const mailTo = (port: number, more: object = {}) =>
    stand.target(
      'mail',
      {},
      {
        type: 'email',
        smtp_host: '127.0.0.1',
        smtp_port: port,
        from: 'gateway@example.com',
        to: ['a@example.com', 'b@example.com'],
        ...more,
      },
    );
  const states = async () =>
    (await stand.store.alertDeliveries.list({ limit: 9 })).rows.map((it) => [it.state, it.error]);
  const down = async (name: string) => {
    await stand.rule(
      ['server_down'],
      (await stand.store.alert_target.all()).map((it) => it.target_name),
      { group_minutes: 1 },
    );
    await stand.down(name, 'other');
    await stand.run();
    stand.clock.pass(60_000);
    await stand.run();
  };

  it('of Slack get blocks, in which a name is neither a link nor a mention', async () => {
    const slack = await receiver();
    await stand.target('chat', { url: `${slack.url}/services/T/B/x` }, { type: 'slack' });
    await down('<!channel> & <http://x.test|y>');
    const [only] = slack.all;
    assert.ok(only);
    assert.deepEqual(
      [slack.all.length, only.path, only.headers['webhook-signature']],
      [1, '/services/T/B/x', undefined],
    );
    const { text, blocks } = JSON.parse(only.text);
    assert.equal(blocks[0].text.text, 'MCP server down (2)');
    assert.match(
      blocks[1].text.text,
      /^• 2026-03-04 10:00:00 UTC: &lt;!channel&gt; &amp; &lt;http:\/\/x\.test\|y&gt; is down\.\n• .* other is down\.$/,
    );
    assert.equal(blocks[2].elements[0].text, 'Alert rule: r');
    assert.ok(text.startsWith('MCP server down (2): '));
  });

  it('of Teams get an Adaptive Card, in which a name is no Markdown', async () => {
    const teams = await receiver();
    teams.answer(() => 202);
    await stand.target('team', { url: `${teams.url}/workflows/1?sig=x` }, { type: 'teams' });
    await down('[y](http://x.test)');
    const { type, attachments } = JSON.parse(teams.all[0]?.text ?? '');
    assert.deepEqual(
      [type, attachments.length, attachments[0].contentType],
      ['message', 1, 'application/vnd.microsoft.card.adaptive'],
    );
    const { type: card, version, body } = attachments[0].content;
    assert.deepEqual([card, version], ['AdaptiveCard', '1.4']);
    const texts = body.map((it: { readonly text: string }) => it.text);
    assert.deepEqual([texts[0], texts.at(-1)], ['MCP server down \\(2\\)', 'Alert rule: r']);
    assert.ok(texts[1].includes('\\[y\\]\\(http://x.test\\) is down.'), texts[1]);
  });

  it('of email get one message with all recipients, under an ID that stays the same', async () => {
    const server = await mailServer({ disabledCommands: ['AUTH', 'STARTTLS'] });
    await mailTo(server.port, { smtp_security: 'none' });
    await down('x\r\nBcc: evil@example.com');
    assert.deepEqual(await states(), [['delivered', null]]);
    const [mail] = server.mails;
    assert.deepEqual([mail?.from, mail?.to], ['gateway@example.com', ['a@example.com', 'b@example.com']]);
    const id = (await stand.store.alertDeliveries.list({ limit: 1 })).rows[0]?.id ?? '';
    assert.match(mail?.text ?? '', /^Subject: \[Switchboard\] MCP server down \(2\)\r$/m);
    assert.ok(mail?.text.includes(`Message-ID: <${id}@switchboard>`));
    assert.ok(mail?.text.includes('other is down.'));
  });

  it('of email that require a secure connection get nothing over another one', async () => {
    const server = await mailServer({ disabledCommands: ['STARTTLS'] });
    await mailTo(server.port);
    await down('x');
    assert.deepEqual(await states(), [
      ['dead', 'The mail server does not offer a secure connection that can be used.'],
    ]);
    assert.equal(server.mails.length, 0);
  });

  it('of email with a certificate that nobody trusts get neither message nor password', async () => {
    const { cert, key } = selfSigned();
    const server = await mailServer({ cert, key });
    await stand.target(
      'mail',
      { smtp_password: 'correct' },
      {
        type: 'email',
        smtp_host: '127.0.0.1',
        smtp_port: server.port,
        smtp_username: 'u',
        from: 'g@example.com',
        to: ['a@example.com'],
      },
    );
    await down('x');
    assert.equal(server.mails.length, 0);
    assert.deepEqual(await states(), [
      ['waiting', "The server's certificate is not trusted on this machine. (DEPTH_ZERO_SELF_SIGNED_CERT)"],
    ]);
  });

  it('of email are given the password, and are dead letters where it is wrong', async () => {
    verifies('gateway.alerts.secrets');
    const server = await mailServer({ disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    for (const [name, smtp_password] of [
      ['right', 'correct'],
      ['wrong', 'Secret-Of-Mine'],
    ] as const)
      await stand.target(
        name,
        { smtp_password },
        {
          type: 'email',
          smtp_host: '127.0.0.1',
          smtp_port: server.port,
          smtp_security: 'none',
          smtp_username: name,
          from: 'g@example.com',
          to: ['a@example.com'],
        },
      );
    await down('x');
    assert.deepEqual(
      (await states()).sort((one, other) => (String(one) < String(other) ? -1 : 1)),
      [
        ['dead', 'The mail server rejected the username or password.'],
        ['delivered', null],
      ],
    );
    assert.deepEqual(
      server.mails.map((it) => it.user),
      ['right'],
    );
    assert.ok(!stand.logLines.join().includes('Secret-Of-Mine'));
  });

  it('of email on this machine are refused unless that is allowed', async () => {
    verifies('gateway.alerts.network');
    const server = await mailServer();
    await mailTo(server.port, { allow_private_network: false });
    await stand.target(
      'named',
      {},
      {
        type: 'email',
        smtp_host: 'localhost',
        smtp_port: server.port,
        from: 'g@example.com',
        to: ['a@example.com'],
        allow_private_network: false,
      },
    );
    await down('x');
    for (const [state, error] of await states())
      assert.match(`${state} ${error}`, /^dead This backend's address is on this machine/);
    assert.equal(server.mails.length, 0);
  });

  it('are tried with a test message that passes the queue by', async () => {
    const hook = await receiver();
    await stand.target('ops', { url: hook.url });
    const target = await stand.store.alert_target.get('ops');
    assert.ok(target);
    const { signal } = new AbortController();
    assert.deepEqual(await stand.alerts.test(target, signal), { isSent: true });
    assert.equal(hook.messages()[0]?.type, 'test');
    hook.answer(() => 404);
    assert.deepEqual(await stand.alerts.test(target, signal), {
      isSent: false,
      error: 'The receiver returned HTTP 404.',
      isFinal: true,
    });
    assert.equal((await stand.store.alertDeliveries.list({ limit: 9 })).total, 0);
  });
});
