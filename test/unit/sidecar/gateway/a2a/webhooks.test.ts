import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { refusedWebhook } from '../../../../../sidecar/gateway/a2a/webhooks.ts';
import { lookup } from '../../../../support/a2a/frontUnderTest.ts';
import { bodyOf, message, openOneAgent, rpc } from '../../../../support/a2a/oneAgent.ts';
import { verifies } from '../../../../support/verifies.ts';

describe('the address of a push notification (push notifications to inside)', () => {
  const rows: readonly [url: unknown, isFine: boolean][] = [
    ['https://hooks.example/a2a', true],
    ['https://hooks.example./a2a', true],
    ['https://hooks.example:8443/', true],
    ['https://93.184.216.34/', true],
    ['https://[2606:2800:220:1::1]/', true],
    ['http://hooks.example/', false],
    ['https://inside.example/', false],
    ['https://localhost/', false],
    ['https://nowhere.example/', false],
    ['https://127.0.0.1/', false],
    ['https://2130706433/', false],
    ['https://0x7f.1/', false],
    ['https://[::1]/', false],
    ['https://[::ffff:10.0.0.1]/', false],
    ['https://169.254.169.254/latest/meta-data', false],
    ['https://user:word@hooks.example/', false],
    ['file:///etc/passwd', false],
    ['no address', false],
    ['', false],
    [7, false],
    [['https://hooks.example/'], false],
    [null, false],
  ];
  for (const [url, isFine] of rows) {
    it(`${JSON.stringify(url)} is ${isFine ? 'fine' : 'refused'}`, async () => {
      verifies('security.inside-notifications');
      assert.equal((await refusedWebhook({ pushNotificationConfig: { url } }, lookup)) === undefined, isFine);
    });
  }

  it('is refused where any of the places that its name leads to is inside, whichever comes first', async () => {
    verifies('security.inside-notifications');
    const leadsTo = (...addresses: string[]) =>
      refusedWebhook({ url: 'https://hooks.example/' }, (_name, done) =>
        done(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        ),
      );
    assert.equal(await leadsTo('93.184.216.34', '93.184.216.35'), undefined);
    for (const it of [['93.184.216.34', '10.0.0.7'], ['10.0.0.7', '93.184.216.34'], []])
      assert.notEqual(await leadsTo(...it), undefined, it.join());
  });

  it('is found under any name that readers take for it, and in lists', async () => {
    const bad = { url: 'http://localhost/' };
    const holders = [bad, { task_push_notification_config: bad }, { a: [{ b: bad }] }, { config: { id: '1', ...bad } }];
    for (const it of holders) assert.notEqual(await refusedWebhook(it, lookup), undefined, JSON.stringify(it));
  });

  it('that leads inside reaches no agent, by any method that names one', async () => {
    verifies('security.inside-notifications');
    for (const url of ['https://127.0.0.1/', 'https://inside.example/', 'https://169.254.169.254/latest/meta-data']) {
      const { post, heard } = openOneAgent();
      const requests = [
        ...['message/send', 'message/stream', 'SendMessage', 'SendStreamingMessage'].flatMap((method) =>
          ['pushNotificationConfig', 'taskPushNotificationConfig'].map((name) =>
            rpc(method, { message, configuration: { [name]: { url } } }),
          ),
        ),
      ];
      const settings = [
        rpc('tasks/pushNotificationConfig/set', { taskId: 't', pushNotificationConfig: { url } }),
        rpc('CreateTaskPushNotificationConfig', { taskId: 't', url }),
      ];
      for (const it of [...requests, ...settings]) {
        const { code, body } = await post(it);
        assert.equal(code, -32602, it);
        assert.match(JSON.stringify(body), /push notification/, it);
      }
      // An agent without push notifications says so. It gets neither the address nor the task.
      assert.equal(heard.length, settings.length);
      for (const body of heard.map(bodyOf)) {
        assert.ok(!body.includes(url) && !body.includes('"t"'), body);
        assert.match(body, /https:\/\/webhook\.invalid\//);
      }
    }
  });

  it('is none in what a message says, which may hold any address', async () => {
    const parts = [
      { kind: 'data', data: { url: 'http://localhost/' } },
      { kind: 'file', file: { url: 'file:///a' } },
    ];
    const { post, heard } = openOneAgent();
    for (const method of ['message/send', 'SendMessage'])
      assert.equal((await post(rpc(method, { message: { ...message, parts }, metadata: { url: '' } }))).status, 200);
    assert.equal(heard.length, 2);
  });

  it('is not missed where there is none', async () => {
    for (const it of [undefined, null, {}, { historyLength: 1 }])
      assert.equal(await refusedWebhook(it, lookup), undefined);
  });
});
