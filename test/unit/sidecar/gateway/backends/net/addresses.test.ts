import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { type AddressClass, classifyAddress } from '../../../../../../sidecar/gateway/backends/net/addresses.ts';
import { readTarget } from '../../../../../../sidecar/gateway/backends/net/guard.ts';
import { Fault } from '../../../../../../sidecar/platform/faults.ts';
import { verifies } from '../../../../../support/verifies.ts';

const rows: Readonly<Record<AddressClass, readonly string[]>> = {
  public: [
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
    '2002:808:808::1',
  ],
  private: [
    '127.0.0.1',
    '127.255.255.254',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    'fc00::1',
    'fd12:3456::1',
    'fec0::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::10.0.0.1',
    '2002:7f00:1::',
    '2002:c0a8:101::1',
    '2606:4700::5efe:10.0.0.1',
    '2606:4700::200:5efe:10.0.0.1',
  ],
  forbidden: [
    '0.0.0.0',
    '0.1.2.3',
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '198.18.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::1',
    '2002:a9fe:a9fe::',
    '2001:0:1::1',
    '2001:db8::1',
    '',
    'localhost',
    '127.1',
    '0x7f000001',
  ],
};

describe('addresses that a backend may have (SSRF)', () => {
  verifies('security.ssrf');
  for (const [wanted, addresses] of Object.entries(rows)) {
    for (const address of addresses) {
      it(`'${address}' is ${wanted}`, () => assert.equal(classifyAddress(address), wanted));
    }
  }

  it('are judged alike as IPv4 and inside of every IPv6 form that carries it', () => {
    const byte = fc.nat(255);
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const plain = `${a}.${b}.${c}.${d}`;
        const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const form of [`::ffff:${plain}`, `64:ff9b::${plain}`, `2002:${groups}::1`]) {
          assert.equal(classifyAddress(form), classifyAddress(plain), form);
        }
      }),
    );
  });
});

describe('the address of a registration', () => {
  const literals = [
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://127.0.0.1./',
    'http://%31%32%37.0.0.1/',
    'http://１２７.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[2002:7f00:1::]/',
  ];
  for (const url of literals) {
    it(`${url} needs the permission for private networks`, () => {
      assert.throws(() => readTarget(url, { allowPrivate: false }), { code: 'forbidden' });
      assert.ok(readTarget(url, { allowPrivate: true }));
    });
  }
  for (const url of [
    'http://169.254.169.254/',
    'http://2852039166/',
    'http://[::ffff:a9fe:a9fe]/',
    'http://0/',
    'http://[fe80::1]/',
  ]) {
    it(`${url} is never allowed`, () => {
      assert.throws(() => readTarget(url, { allowPrivate: true }), { code: 'forbidden' });
    });
  }
  for (const url of [
    'ftp://a.example/',
    'file:///etc/passwd',
    'javascript:0',
    'a.example',
    '',
    'http://',
    'https://u@a.example/',
    'https://:canary@a.example/',
  ]) {
    it(`'${url}' is none, which is said with the name of the field`, () => {
      assert.throws(
        () => readTarget(url, { allowPrivate: true }, 'token_url'),
        (it) =>
          it instanceof Fault &&
          it.code === 'invalid_params' &&
          it.message.includes("'token_url'") &&
          !it.message.includes('canary'),
      );
    });
  }
});
