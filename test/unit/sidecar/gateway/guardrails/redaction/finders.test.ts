import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { piiFinders } from '../../../../../../sidecar/gateway/guardrails/redaction/pii.ts';
import { secretFinders } from '../../../../../../sidecar/gateway/guardrails/redaction/secrets.ts';
import { verifies } from '../../../../../support/verifies.ts';

const finders = { ...secretFinders, ...piiFinders };
type Kind = keyof typeof finders;
const foundIn = (kind: Kind, text: string) => finders[kind](text).map(({ start, end }) => text.slice(start, end));

const many = (character: string, count: number) => character.repeat(count);
const pem = `-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\n-----END RSA PRIVATE KEY-----`;
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl';

/** Text, and what is found in it. */
const table: Readonly<Record<Kind, readonly (readonly [text: string, ...found: string[]])[]>> = {
  aws_access_key: [
    ['key=AKIAIOSFODNN7EXAMPLE;', 'AKIAIOSFODNN7EXAMPLE'],
    ['ASIAIOSFODNN7EXAMPLE', 'ASIAIOSFODNN7EXAMPLE'],
    ['XAKIAIOSFODNN7EXAMPLE'],
    ['AKIAIOSFODNN7EXAMPLEX'],
    ['AKIAiosfodnn7example'],
  ],
  github_token: [
    [`a ghp_${many('x', 36)} b`, `ghp_${many('x', 36)}`],
    [`ghs_${many('9', 40)}`, `ghs_${many('9', 40)}`],
    [`github_pat_${many('a_1', 20)}`, `github_pat_${many('a_1', 20)}`],
    [`ghp_${many('x', 35)}`],
  ],
  slack_token: [
    ['xoxb-12345678901-abc', 'xoxb-12345678901-abc'],
    ['xapp-1-A0123456789', 'xapp-1-A0123456789'],
    ['xoxb-short'],
    ['xoxox'],
  ],
  api_key: [
    [`Bearer sk-proj-${many('a', 30)}.`, `sk-proj-${many('a', 30)}`],
    [`sk-ant-api03-${many('b', 30)}`, `sk-ant-api03-${many('b', 30)}`],
    ['sk-1234567890123', 'sk-1234567890123'],
    ['task-1234567890123456'],
    ['sk-SK'],
  ],
  google_api_key: [[`AIza${many('q', 35)}`, `AIza${many('q', 35)}`], [`AIza${many('q', 34)}`]],
  private_key: [
    [`before ${pem} after ${pem}`, pem, pem],
    ['-----BEGIN PRIVATE KEY-----\nMIIE', '-----BEGIN PRIVATE KEY-----\nMIIE'],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----x-----END PGP PRIVATE KEY BLOCK-----!',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----x-----END PGP PRIVATE KEY BLOCK-----',
    ],
    ['-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----'],
  ],
  jwt: [
    [`(${jwt})`, jwt],
    ['eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.'],
    ['eyJhbGciOiJSUzI1NiJ9.c2lnbmF0dXJl'],
  ],
  email: [
    ['to ada@example.org, b.c+d@mail.example.co.uk.', 'ada@example.org', 'b.c+d@mail.example.co.uk'],
    ['jürgen@müller.de', 'jürgen@müller.de'],
    ['@types/node and a@b and user@localhost'],
  ],
  phone: [
    ['call +14155550100 now', '+14155550100'],
    ['+49 (0)30 1234-567', '+49 (0)30 1234-567'],
    ['(415) 555-0100 or 415-555-0100', '(415) 555-0100', '415-555-0100'],
    ['+1 234'],
    ['1 + 14155550100'],
    ['+12345678901234567890'],
    ['2024-01-15 and 1.2.3.4'],
  ],
  iban: [
    ['DE89370400440532013000', 'DE89370400440532013000'],
    ['pay GB29 NWBK 6016 1331 9268 19 AND more', 'GB29 NWBK 6016 1331 9268 19'],
    ['fr14 2004 1010 0505 0001 3m02 606', 'fr14 2004 1010 0505 0001 3m02 606'],
    ['DE88370400440532013000'],
    ['DE8937040044053201300'],
    ['DE893704004405320130001'],
    ['ZZ89370400440532013000'],
  ],
  credit_card: [
    ['4111 1111 1111 1111', '4111 1111 1111 1111'],
    ['card 5555-5555-5555-4444 123', '5555-5555-5555-4444'],
    ['378282246310005', '378282246310005'],
    ['no. 12 6011111111111117.', '6011111111111117'],
    ['4111111111111112'],
    ['0000000000000000'],
    ['1700000000000000000'],
    ['4111  1111  1111  1111'],
    ['41111111111111112222'],
  ],
  ipv4: [['at 192.168.0.1.', '192.168.0.1'], ['256.1.1.1 and 1.2.3 and 1.2.3.4.5'], ['v1.2.3.4']],
};

describe('what is looked for in arguments', () => {
  for (const kind of Object.keys(table) as Kind[]) {
    it(`${kind}: is found where it is, and nothing else is`, () => {
      for (const [text, ...found] of table[kind]) assert.deepEqual(foundIn(kind, text), found, text);
    });
  }

  it('is counted in steps that grow with the text, whatever the text is made of (deep JSON, regular expressions)', () => {
    verifies('security.deep-json');
    const bricks = [
      'a',
      '1',
      ' 1',
      '1 ',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'eyJhbGciOiJ.',
      'a@',
      'a@a.',
      '@a',
      'DE89',
      '4',
      '4 ',
      '+1',
      '+1 ',
      'sk-',
      'ghp_',
      'xoxb-',
      'AIza',
      'AKIA',
      '1.',
      '(415) ',
      '.',
      '-',
    ];
    for (const kind of Object.keys(finders) as Kind[]) {
      for (const brick of bricks) {
        // Half a megabyte: quadratic time would be minutes, and mocha fails what takes that long.
        const text = brick.repeat(Math.ceil(500_000 / brick.length));
        for (const { start, end } of finders[kind](text)) assert.ok(start < end && end <= text.length);
      }
    }
  });
});
